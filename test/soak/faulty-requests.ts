import type { Call } from '../faults/support/http.js';
import { propertyRequest, transactionRequest } from '../support/factories.js';
import { claimsOf, forge, inSeconds } from '../support/forged-token.js';
import { FORGERIES } from '../support/forgeries.js';
import type { Account } from '../support/service.js';
import { signUpRequest } from '../support/sign-up.js';
import type { Fault, FaultContext } from './faulty-client.js';
import { ask, send, someWord } from './context.js';

/** `turn` counts how often the fault has been made. */
type Draft = (given: FaultContext, turn: number) => Call;

/** A request as it should not be, with a valid token, and the status that it has to be answered with. */
function asked(status: number, draft: Draft): Fault {
  let turn = 0;
  return async (given) => {
    const call = { token: given.token(), ...draft(given, turn++) };
    await ask(given.context, given.caller, call, [status], 'fault');
  };
}

/** The same without a valid token. */
function anonymous(status: number, draft: Draft): Fault {
  return asked(status, (given, turn) => ({ token: undefined, ...draft(given, turn) }));
}

const word = ({ context }: FaultContext): string => someWord(context.random);
const nth = <T>(values: readonly T[], turn: number): T => values[turn % values.length]!;
const get = (path: string): Call => ({ method: 'GET', path });
const post = (path: string, body: object): Call => ({ method: 'POST', path, body });
const put = (path: string, body: object): Call => ({ method: 'PUT', path, body });
const remove = (path: string): Call => ({ method: 'DELETE', path });
const create = (body: string): Call => ({ method: 'POST', path: '/api/transactions', body });
const typed = (type: string, further: Call['headers'] = {}): Call => ({
  ...post('/api/properties', propertyRequest()),
  headers: { 'content-type': type, ...further },
});

/** To make the key would be work for the client, not for the service. */
const UNFIT_FORGERY = 'RS256 with a key of its own';
const FIT_FORGERIES = FORGERIES.flatMap(([, forgeries]) => forgeries).filter(
  ([name]) => name !== UNFIT_FORGERY,
);
const PATHS = ['/api/users/me', '/api/transactions', '/actuator/info', '/api/nothing'];
/** The first four are all that the metrics tell apart. */
const METHODS = ['PATCH', 'OPTIONS', 'TRACE', 'PURGE', 'PROPFIND', 'SEARCH', 'LOCK', 'MKCOL', 'REPORT'];

const REFUSED_FOR_THE_BODY: readonly Fault[] = [
  asked(400, (given) => {
    const name = word(given);
    const wrong = { name: 5, address: null, basePrice: '1', maxGuests: 0, bedrooms: 51, [name]: name };
    return post('/api/properties', { ...wrong, bathrooms: 1.5, active: name, description: name.repeat(90) });
  }),
  asked(400, (given) => {
    const wrong = { type: word(given), category: word(given), amount: 0, date: word(given) };
    return post('/api/transactions', { ...wrong, propertyId: word(given), metadata: { [word(given)]: 1 } });
  }),
  asked(400, ({ propertyId }) =>
    post('/api/transactions', transactionRequest(propertyId, { tags: Array.from({ length: 60 }, () => 1) })),
  ),
  asked(400, (given) => {
    const wrong = { size: 101, page: -1, sortBy: word(given), sortDirection: word(given) };
    return post('/api/transactions/search', wrong);
  }),
  asked(400, (given) => create(`{"${word(given)}":`)),
  asked(400, (given) => create(`{"${word(given)}":${'['.repeat(70)}${']'.repeat(70)}}`)),
  asked(400, (given) => create(`"${word(given)}"`)),
  asked(400, (given) => {
    const name = word(given);
    return create(`{"${name}":1,"${name}":2}`);
  }),
  asked(400, (given) => put(`/api/transactions/${given.transactionId}`, { notes: word(given) })),
  anonymous(400, (given) => post('/api/auth/signup', { username: word(given), email: word(given) })),
  anonymous(400, (given) => post('/api/auth/signin', { username: word(given) })),
  asked(415, (given) => typed(`text/${word(given)}`)),
  asked(415, () => typed('application/x-www-form-urlencoded')),
  asked(415, () => typed('application/json; charset=utf-16')),
  asked(415, () => typed('application/json', { 'content-encoding': 'gzip' })),
];

const REFUSED_FOR_THE_PATH: readonly Fault[] = [
  asked(400, (given) => get(`/api/transactions/${word(given)}`)),
  asked(400, (given) => get(`/api/transactions?sort=${word(given)}&size=0&page=x`)),
  asked(400, (given) => get(`/api/properties?sort=id,${word(given)}`)),
  asked(404, (given) => get(`/${word(given)}/${word(given)}?${word(given)}`)),
  asked(404, (given) => post(`/api/${word(given)}`, { [word(given)]: word(given) })),
  asked(404, (given) => get(`/api/transactions/${9_000_000 + given.context.random.below(1e9)}`)),
  asked(404, (given) => get(`/api/properties/${given.foreignPropertyId}`)),
  asked(404, ({ foreignPropertyId: id }) => put(`/api/properties/${id}`, propertyRequest())),
  asked(404, ({ foreignPropertyId: id }) => remove(`/api/properties/${id}`)),
  asked(404, ({ foreignPropertyId: id }) => get(`/api/transactions/property/${id}`)),
  asked(405, (_, turn) => ({ method: nth(METHODS, turn), path: '/api/transactions/search' })),
  asked(405, ({ transactionId }, turn) => ({
    method: nth(METHODS, turn),
    path: `/api/transactions/${transactionId}`,
  })),
];

const REFUSED_FOR_THE_CALLER: readonly Fault[] = [
  anonymous(401, (_, turn) => get(nth(PATHS, turn))),
  anonymous(401, (given) => post(`/${word(given)}`, {})),
  asked(401, (given, turn) => ({ ...get(nth(PATHS, turn)), token: word(given) })),
  asked(401, ({ id }, turn) => {
    const payload = claimsOf({ id }, { iat: inSeconds(-3601 - turn), exp: inSeconds(-1 - turn) });
    return { ...get(nth(PATHS, turn)), token: forge({ payload }) };
  }),
  ...Array.from({ length: 4 }, (_, index) => forgery(index)),
  asked(401, ({ formerId: id }) => ({
    ...get('/api/users/me'),
    token: forge({ payload: claimsOf({ id }) }),
  })),
  anonymous(401, (given) => post('/api/auth/signin', { username: word(given), password: word(given) })),
  anonymous(401, ({ username, ...given }) =>
    post('/api/auth/signin', { username, password: someWord(given.context.random) }),
  ),
  asked(403, () => get('/actuator/prometheus')),
  asked(403, (given) => get(`/actuator/${word(given)}`)),
  asked(403, () => get('/api/users')),
  asked(403, ({ context: { random } }) => remove(`/api/users/${random.below(1e9)}`)),
];

const CONFLICTS: readonly Fault[] = [
  anonymous(409, ({ username }) => post('/api/auth/signup', signUpRequest({ username }))),
  anonymous(409, ({ email }) => post('/api/auth/signup', signUpRequest({ email: email.toUpperCase() }))),
  asked(409, ({ propertyId }) => remove(`/api/properties/${propertyId}`)),
  asked(409, (given) => ({
    ...put(`/api/transactions/${given.transactionId}`, transactionRequest(given.propertyId)),
    headers: { 'if-match': `"${word(given)}"` },
  })),
  asked(409, ({ transactionId }) => ({
    ...remove(`/api/transactions/${transactionId}`),
    headers: { 'if-match': '"999999"' },
  })),
  fileElsewhere,
];

/** In somebody else's property: nothing of it may be stored. */
async function fileElsewhere({ context, caller, token, foreignPropertyId }: FaultContext): Promise<void> {
  await context.pace.take('fault', async () => {
    await context.ledger.create((bookingReference) => {
      const body = transactionRequest(foreignPropertyId, { bookingReference });
      return send(context, caller, { ...post('/api/transactions', body), token: token() }, [404]);
    });
  });
}

/** All forged tokens in turn, four at a time. */
function forgery(index: number): Fault {
  return asked(401, ({ id, username, token }, turn) => {
    const [name, make] = nth(FIT_FORGERIES, 4 * turn + index);
    const account = { id, username, token: token() } as Account;
    return { ...get(`/api/users/me?${encodeURIComponent(name)}`), token: make(account) };
  });
}

/** Everything that is well-formed HTTP; nothing of it changes anything. */
export const FAULTY_REQUESTS: readonly Fault[] = [
  ...REFUSED_FOR_THE_BODY,
  ...REFUSED_FOR_THE_PATH,
  ...REFUSED_FOR_THE_CALLER,
  ...CONFLICTS,
];
