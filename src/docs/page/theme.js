// Before the first paint: dark where the system is, unless the reader has chosen. Not a module, because those wait.
{
  const KEY = 'property-finance:theme';
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const isDark = localStorage.getItem(KEY) === 'dark' || (!localStorage.getItem(KEY) && system.matches);
    root.classList.toggle('dark-mode', isDark);
  };
  system.addEventListener('change', apply);
  apply();
  addEventListener('DOMContentLoaded', () => {
    document.querySelector('#theme').addEventListener('click', () => {
      localStorage.setItem(KEY, root.classList.contains('dark-mode') ? 'light' : 'dark');
      apply();
    });
  });
}
