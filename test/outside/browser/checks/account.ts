import { type Check, contains, equal } from '../check.js';

const OF_THE_TAB = `JSON.parse(sessionStorage.getItem('property-finance:session'))`;

/** Every other place in which a page could keep something. */
const ELSEWHERE = `JSON.stringify([
  { ...localStorage }, { ...sessionStorage, 'property-finance:session': '' },
  document.cookie, location.href, document.documentElement.outerHTML,
])`;

export const ACCOUNT_CHECKS: readonly Check[] = [
  {
    name: 'a wrong password is refused in the words of the problem document',
    async run(world) {
      const [page, { username }] = [await world.open(), await world.newAccount()];
      await page.signIn({ username, password: 'wrong' });
      const alert = page.account.getByRole('alert');
      await alert.waitFor();
      equal(await alert.innerText(), 'The username or the password is wrong.', 'the alert');
      equal(await page.who.innerText(), '', 'who is signed in');
    },
  },
  {
    name: 'signing in says who one is, and signing out forgets it',
    async run(world) {
      const [page, account] = [await world.open(), await world.newAccount()];
      await page.signIn(account);
      await page.account.getByRole('heading', { name: `Signed in as ${account.username}` }).waitFor();
      equal(await page.who.innerText(), `${account.username} · USER`, 'the bar');
      const me = await page.operation('getCurrentUser').execute();
      equal(me.status, '200', 'the status of the own account');
      contains(me.body, `"username": "${account.username}"`, 'the own account');
      await page.account.getByRole('button', { name: 'Sign out' }).click();
      await page.account.getByRole('button', { name: 'Sign in' }).waitFor();
      equal(await page.who.innerText(), '', 'the bar after signing out');
      const nobody = await page.operation('getCurrentUser').execute();
      equal(nobody.status, '401', 'the status after signing out');
      contains(nobody.problem, 'A bearer token is required.', 'the problem');
    },
  },
  {
    name: 'a reload keeps the sign-in for the tab, no other tab has it, and signing out ends it',
    async run(world) {
      const [page, account] = [await world.open(), await world.newAccount()];
      await page.signIn(account);
      await page.who.getByText(account.username).waitFor();
      await page.visit.reload();
      await page.who.getByText(account.username).waitFor();
      equal((await page.operation('getCurrentUser').execute()).status, '200', 'the status after a reload');
      const other = await page.visit.page.context().newPage();
      await other.goto(page.visit.page.url());
      await other.locator('.operation').first().waitFor();
      equal(await other.locator('#who').innerText(), '', 'who is signed in, in another tab');
      const { accessToken } = await page.visit.read<{ accessToken: string }>(OF_THE_TAB);
      const elsewhere = await page.visit.read<string>(ELSEWHERE);
      for (const secret of [accessToken, account.password])
        equal(elsewhere.includes(secret), false, 'whether a secret is elsewhere');
      await page.account.getByRole('button', { name: 'Sign out' }).click();
      equal(await page.visit.read('sessionStorage.length'), 0, 'what the tab keeps after signing out');
      await page.visit.reload();
      equal(await page.who.innerText(), '', 'who is signed in after signing out');
    },
  },
  {
    name: 'a kept sign-in whose account is gone ends with the reload, and says why',
    async run(world) {
      const [page, account] = [await world.open(), await world.newAccount()];
      await page.signIn(account);
      await page.who.getByText(account.username).waitFor();
      await world.service.sql('DELETE FROM users WHERE username = $1', [account.username]);
      await page.visit.reload();
      await page.account.getByText('Your token is not valid any more.').waitFor();
    },
  },
  {
    name: 'an account can be made, and what is wrong with it is said beside each field',
    async run(world) {
      const page = await world.open();
      await page.account.getByRole('button', { name: 'Create an account' }).click();
      await page.createAccount('nobody', { username: 'x', password: 'long enough' });
      await page.account.getByRole('alert').waitFor();
      contains(await page.account.locator('#email-fault').innerText(), 'e-mail', 'the fault of the e-mail');
      contains(await page.account.locator('#username-fault').innerText(), '3', 'the fault of the username');
      equal(await page.account.locator('#password-fault').innerText(), '', 'the fault of the password');
      await page.createAccount('new-reader@example.com', { username: 'new-reader', password: 'long enough' });
      await page.account.getByText('Signed in as new-reader').waitFor();
    },
  },
  {
    name: 'whose account was deleted is signed out and told so',
    async run(world) {
      const [page, account] = [await world.open(), await world.newAccount()];
      await page.signIn(account);
      await page.account.getByText('Signed in as').waitFor();
      await world.service.sql('DELETE FROM users WHERE username = $1', [account.username]);
      const refused = await page.operation('listProperties').execute();
      equal(refused.status, '401', 'the status');
      await page.account.getByText('Your token is not valid any more.').waitFor();
      equal(await page.who.innerText(), '', 'who is signed in');
    },
  },
];
