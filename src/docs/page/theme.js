// Before anything is painted: dark where the system is, unless the reader has chosen. No module, because those wait.
(() => {
  const KEY = 'property-finance:theme';
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => localStorage.getItem(KEY);

  const apply = () => {
    root.classList.toggle('dark-mode', (chosen() ?? (system.matches ? 'dark' : 'light')) === 'dark');
  };

  system.addEventListener('change', apply);
  apply();

  addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector('#theme');
    button.addEventListener('click', () => {
      localStorage.setItem(KEY, root.classList.contains('dark-mode') ? 'light' : 'dark');
      apply();
    });
  });
})();
