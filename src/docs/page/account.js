import { byId as $, copyOnClick } from './dom.js';
import { forgetSession, keepSession, keptSession, Refusal, signIn, signUp } from './session.js';

const FIELDS = ['email', 'username', 'password'];

/** The card to sign in, register and sign out. `onChange` gets the token and its user, or null after a sign-out. */
export class Account {
  #registering = false;
  #onChange;
  #token = null;

  constructor(onChange) {
    this.#onChange = onChange;
    $('account-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    $('account-mode').addEventListener('click', () => this.#offer(!this.#registering));
    $('sign-out').addEventListener('click', () => this.signOut());
    copyOnClick($('copy-token'), () => this.#token);
  }

  get token() {
    return this.#token;
  }

  /** Goes on with the sign-in of this tab, if there was one. */
  async resume() {
    const session = keptSession();
    if (session !== undefined) await this.#enter(session);
  }

  /** Forgets the token, and shows the reason in the card. */
  signOut(reason = '') {
    if (this.#token === null) return;
    forgetSession();
    this.#token = null;
    this.#onChange(null);
    $('who').textContent = '';
    this.#showForm(true);
    this.#offer(false);
    this.#show(reason);
    $('username').focus();
  }

  async #submit() {
    this.#show('');
    const given = Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));
    $('account-submit').disabled = true;
    try {
      await this.welcome(await (this.#registering ? signUp(given) : signIn(given)));
      $('known-title').focus({ preventScroll: true });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#show(error.message, error.errors);
    } finally {
      $('account-submit').disabled = false;
    }
  }

  /** Goes on as the account of an AuthResponse. */
  async welcome({ accessToken, expiresIn, user }) {
    const session = { accessToken, expiresAt: Date.now() + expiresIn * 1000, user };
    keepSession(session);
    await this.#enter(session);
  }

  async #enter({ accessToken, expiresAt, user }) {
    const time = new Date(expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    $('who').textContent = `${user.username} · ${user.role}`;
    $('known-title').textContent = `Signed in as ${user.username}`;
    $('known-about').textContent =
      `Role ${user.role}. Every operation below is sent with your token until ${time}. It is kept in this tab only.`;
    $('account-form').reset();
    this.#showForm(false);
    this.#token = accessToken;
    await this.#onChange({ accessToken, user });
  }

  #offer(registering) {
    this.#registering = registering;
    $('account-title').textContent = registering ? 'Create an account' : 'Sign in';
    $('account-submit').textContent = registering ? 'Create account' : 'Sign in';
    $('account-mode').textContent = registering ? 'Sign in instead' : 'Create an account';
    $('email-field').hidden = !registering;
    $('password').autocomplete = registering ? 'new-password' : 'current-password';
    this.#show('');
  }

  #showForm(shown) {
    $('account-form').hidden = !shown;
    $('account-known').hidden = shown;
  }

  /** Shows the fault of the request, and the faults of its fields beside them. */
  #show(fault, errors = {}) {
    $('account-fault').textContent = fault;
    $('account-fault').hidden = fault === '';
    for (const name of FIELDS) {
      $(`${name}-fault`).textContent = errors[name] ?? '';
      $(name).toggleAttribute('aria-invalid', name in errors);
    }
    $(FIELDS.find((name) => name in errors) ?? '')?.focus();
  }
}
