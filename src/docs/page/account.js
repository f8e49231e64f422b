import { Refusal, signIn, signUp } from './session.js';

const FIELDS = ['email', 'username', 'password'];
const $ = (id) => document.getElementById(id);

/**
 * The card in which one signs in, registers and signs out. `onToken` is told the token, and null when there is none
 * any more. The token stays in this page's memory.
 */
export class Account {
  #registering = false;
  #onToken;
  #expiry;
  #token = null;

  constructor(onToken) {
    this.#onToken = onToken;
    $('account-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    $('account-mode').addEventListener('click', () => this.#offer(!this.#registering));
    $('sign-out').addEventListener('click', () => this.signOut());
    $('copy-token').addEventListener('click', () => void this.#copy());
  }

  /** Forgets the token; `reason` is told in the card. */
  signOut(reason = '') {
    if (this.#token === null) return;
    clearTimeout(this.#expiry);
    this.#token = null;
    this.#onToken(null);
    $('who').textContent = '';
    this.#showForm(true);
    this.#offer(false);
    this.#tell(reason);
    $('username').focus();
  }

  async #submit() {
    this.#tell('');
    const given = Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));
    $('account-submit').disabled = true;
    try {
      this.#welcome(await (this.#registering ? signUp(given) : signIn(given)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#tell(error.message, error.errors);
    } finally {
      $('account-submit').disabled = false;
    }
  }

  #welcome({ accessToken, expiresIn, user }) {
    this.#token = accessToken;
    this.#onToken(accessToken);
    this.#expiry = setTimeout(
      () => this.signOut('Your token has expired. Sign in again.'),
      Math.min(expiresIn * 1000, 2 ** 31 - 1),
    );
    const until = new Date(Date.now() + expiresIn * 1000);
    const time = until.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    $('who').textContent = `${user.username} · ${user.role}`;
    $('known-title').textContent = `Signed in as ${user.username}`;
    $('known-about').textContent =
      `Role ${user.role}. Every operation below is sent with your token until ${time}; this page keeps it in memory alone.`;
    $('account-form').reset();
    this.#showForm(false);
    $('known-title').focus({ preventScroll: true });
  }

  #offer(registering) {
    this.#registering = registering;
    $('account-title').textContent = registering ? 'Create an account' : 'Sign in';
    $('account-submit').textContent = registering ? 'Create account' : 'Sign in';
    $('account-mode').textContent = registering ? 'Sign in instead' : 'Create an account';
    $('email-field').hidden = !registering;
    $('password').autocomplete = registering ? 'new-password' : 'current-password';
    this.#tell('');
  }

  #showForm(shown) {
    $('account-form').hidden = !shown;
    $('account-known').hidden = shown;
  }

  /** What is wrong, all in all and beside each field. */
  #tell(fault, errors = {}) {
    $('account-fault').textContent = fault;
    $('account-fault').hidden = fault === '';
    for (const name of FIELDS) {
      $(`${name}-fault`).textContent = errors[name] ?? '';
      $(name).toggleAttribute('aria-invalid', name in errors);
    }
    $(FIELDS.find((name) => name in errors) ?? '')?.focus();
  }

  async #copy() {
    await navigator.clipboard.writeText(this.#token);
    $('copy-token').textContent = 'Copied';
    setTimeout(() => ($('copy-token').textContent = 'Copy the token'), 2000);
  }
}
