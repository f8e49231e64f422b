import { type Check, contains, equal } from '../check.js';

const KEPT = `JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML,
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
    name: 'the token is in the memory of the page alone, and gone after a reload',
    async run(world) {
      const page = await world.openSignedIn();
      const kept = await page.visit.read<string>(KEPT);
      equal(/eyJ|correct horse/.exec(kept)?.[0], undefined, 'a token or password that is kept');
      await page.visit.reload();
      equal(await page.who.innerText(), '', 'who is signed in');
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
