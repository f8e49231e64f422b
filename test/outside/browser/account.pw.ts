import { expect } from '@playwright/test';
import { ReferencePage, sql, test } from './page.js';

/** Every other place in which a page could keep something. */
const ELSEWHERE = `JSON.stringify([
  { ...localStorage }, { ...sessionStorage, 'property-finance:session': '' },
  document.cookie, location.href, document.documentElement.outerHTML,
])`;

test('a wrong password is refused in the words of the problem document', async ({ reference, account }) => {
  await reference.signIn({ ...account, password: 'wrong' });
  await expect(reference.account.getByRole('alert')).toHaveText('The username or the password is wrong.');
  await expect(reference.who).toBeEmpty();
});

test('a sign-in lasts through a reload, in this tab alone, and until a sign-out', async ({
  signedIn,
  account,
  context,
}) => {
  const { page, who } = signedIn;
  await expect(who).toHaveText(`${account.username} · USER`);
  await signedIn.open();
  await expect(who).toContainText(account.username);
  const me = signedIn.operation('getCurrentUser');
  expect(await me.execute('200')).toContain(`"username": "${account.username}"`);
  const other = new ReferencePage(await context.newPage());
  await other.open();
  await expect(other.who).toBeEmpty();
  const kept = `JSON.parse(sessionStorage.getItem('property-finance:session')).accessToken`;
  const token = await page.evaluate<string>(kept);
  const elsewhere = await page.evaluate<string>(ELSEWHERE);
  for (const secret of [token, account.password]) expect(elsewhere).not.toContain(secret);
  await signedIn.account.getByRole('button', { name: 'Sign out' }).click();
  await signedIn.account.getByRole('button', { name: 'Sign in' }).waitFor();
  await me.execute('401');
  await expect(me.problem).toContainText('A bearer token is required.');
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await signedIn.open();
  await expect(who).toBeEmpty();
});

for (const when of ['reload', 'request'])
  test(`a sign-in whose account was deleted ends with a ${when}, and says why`, async ({
    signedIn,
    account,
  }) => {
    await sql('DELETE FROM users WHERE username = $1', [account.username]);
    if (when === 'reload') await signedIn.open();
    else await signedIn.operation('listProperties').execute('401');
    await expect(signedIn.account.getByText('Your token is no longer valid.')).toBeVisible();
    await expect(signedIn.who).toBeEmpty();
  });

test('an account is made once each field is valid, and a fault is shown beside its field', async ({
  reference,
}) => {
  const { account } = reference;
  const create = async (email: string, username: string): Promise<void> => {
    await account.getByLabel('E-mail').fill(email);
    await account.getByLabel('Username').fill(username);
    await account.getByLabel('Password').fill('long enough');
    await account.getByRole('button', { name: 'Create account' }).click();
  };
  await account.getByRole('button', { name: 'Create an account' }).click();
  await create('nobody', 'x');
  await expect(account.getByRole('alert')).toBeVisible();
  await expect(account.locator('#email-fault')).toContainText('e-mail');
  await expect(account.locator('#username-fault')).toContainText('3');
  await expect(account.locator('#password-fault')).toBeEmpty();
  await create('new-reader@example.com', 'new-reader');
  await expect(account.getByText('Signed in as new-reader')).toBeVisible();
});
