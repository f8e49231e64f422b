import type { Call } from '../faults/support/http.js';
import { fateOf } from '../faults/support/load.js';
import { propertyRequest, transactionRequest } from '../support/factories.js';
import { claimsOf, forge, inSeconds } from '../support/forged-token.js';
import { FORGERIES } from '../support/forgeries.js';
import type { Account } from '../support/service.js';
import { signUpRequest } from '../support/sign-up.js';
import type { Mistake, Situation } from './nuisance.js';
import { ask, send, someWord } from './stage.js';

/** `turn` counts how often the mistake has been made. */
type Draft = (situation: Situation, turn: number) => Call;

/** A request as it should not be, with a valid token, and the status that it has to be answered with. */
function asked(status: number, draft: Draft): Mistake {
  let turn = 0;
  return async (situation) => {
    const call = { token: situation.token(), ...draft(situation, turn++) };
    await ask(situation.stage, situation.caller, call, [status], 'mistake');
  };
}

/** The same without a valid token. */
function anonymous(status: number, draft: Draft): Mistake {
  return asked(status, (situation, turn) => ({ token: undefined, ...draft(situation, turn) }));
}

const word = ({ stage }: Situation): string => someWord(stage.random);
const json = (value: unknown): string => JSON.stringify(value);
const nth = <T>(values: readonly T[], turn: number): T => values[turn % values.length]!;
const get = (path: string): Call => ({ method: 'GET', path });
const post = (path: string, body: unknown): Call => ({ method: 'POST', path, body: json(body) });
const put = (path: string, body: unknown): Call => ({ method: 'PUT', path, body: json(body) });
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

const REFUSED_FOR_THE_BODY: readonly Mistake[] = [
  asked(400, (situation) => {
    const name = word(situation);
    const wrong = { name: 5, address: null, basePrice: '1', maxGuests: 0, bedrooms: 51, [name]: name };
    return post('/api/properties', { ...wrong, bathrooms: 1.5, active: name, description: name.repeat(90) });
  }),
  asked(400, (situation) => {
    const wrong = { type: word(situation), category: word(situation), amount: 0, date: word(situation) };
    return post('/api/transactions', {
      ...wrong,
      propertyId: word(situation),
      metadata: { [word(situation)]: 1 },
    });
  }),
  asked(400, (situation) =>
    post(
      '/api/transactions',
      transactionRequest(situation.propertyId, { tags: Array.from({ length: 60 }, () => 1) }),
    ),
  ),
  asked(400, (situation) =>
    post('/api/transactions/search', {
      size: 101,
      page: -1,
      sortBy: word(situation),
      sortDirection: word(situation),
    }),
  ),
  asked(400, (situation) => create(`{"${word(situation)}":`)),
  asked(400, (situation) => create(`{"${word(situation)}":${'['.repeat(70)}${']'.repeat(70)}}`)),
  asked(400, (situation) => create(`"${word(situation)}"`)),
  asked(400, (situation) => {
    const name = word(situation);
    return create(`{"${name}":1,"${name}":2}`);
  }),
  asked(400, (situation) => put(`/api/transactions/${situation.transactionId}`, { notes: word(situation) })),
  anonymous(400, (situation) =>
    post('/api/auth/signup', { username: word(situation), email: word(situation) }),
  ),
  anonymous(400, (situation) => post('/api/auth/signin', { username: word(situation) })),
  asked(415, (situation) => typed(`text/${word(situation)}`)),
  asked(415, () => typed('application/x-www-form-urlencoded')),
  asked(415, () => typed('application/json; charset=utf-16')),
  asked(415, () => typed('application/json', { 'content-encoding': 'gzip' })),
];

const REFUSED_FOR_THE_PATH: readonly Mistake[] = [
  asked(400, (situation) => get(`/api/transactions/${word(situation)}`)),
  asked(400, (situation) => get(`/api/transactions?sort=${word(situation)}&size=0&page=x`)),
  asked(400, (situation) => get(`/api/properties?sort=id,${word(situation)}`)),
  asked(404, (situation) => get(`/${word(situation)}/${word(situation)}?${word(situation)}`)),
  asked(404, (situation) => post(`/api/${word(situation)}`, { [word(situation)]: word(situation) })),
  asked(404, (situation) => get(`/api/transactions/${9_000_000 + situation.stage.random.below(1e9)}`)),
  asked(404, (situation) => get(`/api/properties/${situation.foreignPropertyId}`)),
  asked(404, ({ foreignPropertyId: id }) => put(`/api/properties/${id}`, propertyRequest())),
  asked(404, ({ foreignPropertyId: id }) => ({ method: 'DELETE', path: `/api/properties/${id}` })),
  asked(404, ({ foreignPropertyId: id }) => get(`/api/transactions/property/${id}`)),
  asked(405, (_, turn) => ({ method: nth(METHODS, turn), path: '/api/transactions/search' })),
  asked(405, ({ transactionId: id }, turn) => ({
    method: nth(METHODS, turn),
    path: `/api/transactions/${id}`,
  })),
];

const REFUSED_FOR_THE_CALLER: readonly Mistake[] = [
  anonymous(401, (_, turn) => get(nth(PATHS, turn))),
  anonymous(401, (situation) => post(`/${word(situation)}`, {})),
  asked(401, (situation, turn) => ({ ...get(nth(PATHS, turn)), token: word(situation) })),
  asked(401, ({ id }, turn) => {
    const payload = claimsOf({ id }, { iat: inSeconds(-3601 - turn), exp: inSeconds(-1 - turn) });
    return { ...get(nth(PATHS, turn)), token: forge({ payload }) };
  }),
  ...Array.from({ length: 4 }, (_, index) => forgery(index)),
  asked(401, ({ formerId: id }) => ({
    ...get('/api/users/me'),
    token: forge({ payload: claimsOf({ id }) }),
  })),
  anonymous(401, (situation) =>
    post('/api/auth/signin', { username: word(situation), password: word(situation) }),
  ),
  anonymous(401, ({ username, ...situation }) =>
    post('/api/auth/signin', { username, password: someWord(situation.stage.random) }),
  ),
  asked(403, () => get('/actuator/prometheus')),
  asked(403, (situation) => get(`/actuator/${word(situation)}`)),
  asked(403, () => get('/api/users')),
  asked(403, (situation) => ({ method: 'DELETE', path: `/api/users/${situation.stage.random.below(1e9)}` })),
];

const CONFLICTS: readonly Mistake[] = [
  anonymous(409, ({ username }) => post('/api/auth/signup', signUpRequest({ username }))),
  anonymous(409, ({ email }) => post('/api/auth/signup', signUpRequest({ email: email.toUpperCase() }))),
  asked(409, ({ propertyId: id }) => ({ method: 'DELETE', path: `/api/properties/${id}` })),
  asked(409, (situation) => ({
    ...put(`/api/transactions/${situation.transactionId}`, transactionRequest(situation.propertyId)),
    headers: { 'if-match': `"${word(situation)}"` },
  })),
  asked(409, ({ transactionId: id }) => ({
    method: 'DELETE',
    path: `/api/transactions/${id}`,
    headers: { 'if-match': '"999999"' },
  })),
  fileElsewhere,
];

/** In somebody else's property: nothing of it may be stored. */
async function fileElsewhere({ stage, caller, token, foreignPropertyId }: Situation): Promise<void> {
  await stage.pace.take('mistake', async () => {
    const marker = stage.ledger.attempt();
    const body = json(transactionRequest(foreignPropertyId, { bookingReference: marker }));
    const reply = await send(stage, caller, { ...create(body), token: token() }, [404]);
    stage.ledger.settle(marker, fateOf(reply));
  });
}

/** All forged tokens in turn, four at a time. */
function forgery(index: number): Mistake {
  return asked(401, ({ id, username, token }, turn) => {
    const [name, make] = nth(FIT_FORGERIES, 4 * turn + index);
    const account = { id, username, token: token() } as Account;
    return { ...get(`/api/users/me?${encodeURIComponent(name)}`), token: make(account) };
  });
}

/** Everything that is well-formed HTTP; nothing of it changes anything. */
export const MISTAKES: readonly Mistake[] = [
  ...REFUSED_FOR_THE_BODY,
  ...REFUSED_FOR_THE_PATH,
  ...REFUSED_FOR_THE_CALLER,
  ...CONFLICTS,
];
