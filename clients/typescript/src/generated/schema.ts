// Generated from openapi.json by scripts/client-types.mjs: do not edit.
/* eslint-disable -- in the form that the generator gives it */
import type { Decimal, DecimalInput, Int64, Int64Input } from '../exact-types.js';

export interface paths {
  '/actuator': {
    /**
     * Index of the actuator
     * @description ADMIN only.
     */
    get: operations['getActuatorLinks'];
  };
  '/actuator/health': {
    /**
     * Aggregate health
     * @description Only `status`; an ADMIN also sees the components.
     */
    get: operations['getHealth'];
  };
  '/actuator/health/liveness': {
    /**
     * Liveness of the process
     * @description Stays UP while the database is away.
     */
    get: operations['getLiveness'];
  };
  '/actuator/health/readiness': {
    /**
     * Readiness to serve requests
     * @description DOWN while the database is unavailable, OUT_OF_SERVICE while the process stops.
     */
    get: operations['getReadiness'];
  };
  '/actuator/info': {
    /**
     * Build information
     * @description ADMIN only.
     */
    get: operations['getInfo'];
  };
  '/actuator/prometheus': {
    /**
     * Metrics for Prometheus
     * @description Micrometer’s names, beside `nodejs_*` and `process_*`. For an ADMIN; and, where METRICS_TOKEN is set, for a client that sends it as bearer token, also while the database is away.
     */
    get: operations['getMetrics'];
  };
  '/api/auth/signin': {
    /**
     * Sign in
     * @description An unknown name and a wrong password get the same response, after the same time.
     */
    post: operations['signIn'];
  };
  '/api/auth/signup': {
    /**
     * Sign up
     * @description The account gets the role USER; no request can choose another.
     */
    post: operations['signUp'];
  };
  '/api/keys': {
    /**
     * List your API keys
     * @description Ordered by id, not paged.
     */
    get: operations['listKeys'];
    /**
     * Create an API key
     * @description For a program, in place of a password. The key is shown this once. An account has at most 20; they need a token, and no key creates, shows or deletes keys.
     */
    post: operations['createKey'];
  };
  '/api/keys/{id}': {
    /**
     * Revoke an API key
     * @description The next request with it is refused.
     */
    delete: operations['deleteKey'];
  };
  '/api/properties': {
    /**
     * List properties
     * @description An ADMIN sees every account’s. Unknown parameters are ignored: `?active=true` does not filter.
     */
    get: operations['listProperties'];
    /**
     * Create a property
     * @description The caller becomes its owner. Sent twice, it creates two properties, unless both carry the same `Idempotency-Key`.
     */
    post: operations['createProperty'];
  };
  '/api/properties/{id}': {
    /**
     * Read a property
     * @description Send its `ETag` as `If-Match` with a later PUT or DELETE.
     */
    get: operations['getProperty'];
    /**
     * Update a property
     * @description Replaces every field: an optional one that is left out becomes null.
     */
    put: operations['updateProperty'];
    /**
     * Delete a property
     * @description Refused while transactions refer to it.
     */
    delete: operations['deleteProperty'];
  };
  '/api/properties/changes': {
    /**
     * Follow the changes of properties
     * @description What was written or deleted since the cursor, oldest first. Keep `next` for tomorrow. Nothing that was committed is missed, however late; a change may come twice. While a transaction is open, later ones wait for it. The properties come as they are now.
     */
    get: operations['listPropertyChanges'];
  };
  '/api/properties/export': {
    /**
     * Export properties
     * @description Every field of each. CSV unless `Accept` prefers `application/x-ndjson`. The file is a snapshot. A file that ends properly is complete: a failure midway breaks the connection. An ADMIN exports the properties of every account.
     */
    get: operations['exportProperties'];
  };
  '/api/reports/cash-flow': {
    /**
     * Cash flow
     * @description `overdue` and `due` cover what is recorded and unpaid. `upcoming` continues recurring transactions by their frequency, counted from the first one; a month without that day has its last day instead. An ADMIN gets the report for their own account or, with `propertyId`, for that property. More than 1,000 days and vendors, or 2,000 occurrences, are refused.
     */
    get: operations['getCashFlow'];
  };
  '/api/reports/profit-and-loss': {
    /**
     * Profit and loss
     * @description Exact to the cent. `CANCELLED` transactions are left out; `PENDING`, `OVERDUE` and `DISPUTED` ones count like `PAID` ones; `REFUNDED` transactions and security deposits are shown separately, and are neither income nor expenses. Days, months and years are those of `timeZone`; `from` and `to` are both included. With `Accept: text/csv` each group is a line; `line` says whether it is a `group`, the `subtotal` of the groups before it, or the `total`. An ADMIN gets the report for their own account or, with `propertyId`, for that property. More than 5,000 groups are refused.
     */
    get: operations['getProfitAndLoss'];
  };
  '/api/reports/tax-year': {
    /**
     * Tax year
     * @description **Not tax advice**: a starting point for filling in the form. A table that the operator can change assigns each category to a line of Schedule E; `apart` lists the categories that belong on no line as they are. `CANCELLED` and `REFUNDED` transactions are on no line. An ADMIN gets the report for their own account or, with `propertyId`, for that property. More than 500 properties are refused.
     */
    get: operations['getTaxYear'];
  };
  '/api/transactions': {
    /**
     * List transactions
     * @description The latest first, unless `sort` says otherwise. An ADMIN sees those of every account. Unknown parameters are ignored: `?type=INCOME` does not filter, the search does.
     */
    get: operations['listTransactions'];
    /**
     * Record a transaction
     * @description Sent twice, it records two transactions, unless both carry the same `Idempotency-Key`.
     */
    post: operations['createTransaction'];
  };
  '/api/transactions/{id}': {
    /**
     * Read a transaction
     * @description With every field; lists and searches return summaries.
     */
    get: operations['getTransaction'];
    /**
     * Update a transaction
     * @description Replaces every field: an optional one that is left out takes its default again. With another `propertyId` the transaction moves there.
     */
    put: operations['updateTransaction'];
    /**
     * Delete a transaction
     * @description Permanently. To keep it in the books, set its status to CANCELLED instead.
     */
    delete: operations['deleteTransaction'];
  };
  '/api/transactions/batch': {
    /**
     * Record several transactions
     * @description Records all of them or, if one has a fault, none. Each fault is named by its position, such as `transactions[3].amount`.
     */
    post: operations['createTransactionBatch'];
  };
  '/api/transactions/changes': {
    /**
     * Follow the changes of transactions
     * @description What was written or deleted since the cursor, oldest first. Keep `next` for tomorrow. Nothing that was committed is missed, however late; a change may come twice. While a transaction is open, later ones wait for it. The transactions come as they are now.
     */
    get: operations['listTransactionChanges'];
  };
  '/api/transactions/export': {
    /**
     * Export transactions by URL
     * @description The same file, with the fields of a search as parameters: for spreadsheets, and scripts that send no body.
     */
    get: operations['downloadTransactions'];
    /**
     * Export transactions
     * @description Takes the body of a search, ignores its `page` and `size`, and returns every field of each transaction. CSV unless `Accept` prefers `application/x-ndjson`. The file is a snapshot. A file that ends properly is complete: a failure midway breaks the connection. An ADMIN exports the transactions of every account.
     */
    post: operations['exportTransactions'];
  };
  '/api/transactions/import': {
    /**
     * Import transactions
     * @description Takes CSV with the names of the fields in its first line, in any order, or one JSON object a line. An exported file can be imported: fields that only responses have, such as `id`, are ignored, unless it comes back as an update. All rows are stored or, if one has a fault, none; the response then names the lines. Up to 10,000 rows and 10 MiB unless configured otherwise.
     */
    post: operations['importTransactions'];
  };
  '/api/transactions/property/{propertyId}': {
    /**
     * List a property’s transactions
     * @description The latest first, unless `sort` says otherwise. Unknown parameters are ignored: `?type=INCOME` does not filter, the search does.
     */
    get: operations['listPropertyTransactions'];
  };
  '/api/transactions/search': {
    /**
     * Search transactions
     * @description Every filter that is given narrows the result; bounds are inclusive. Unknown fields are ignored, so a misspelt filter filters nothing. An ADMIN searches those of every account. For the next page, send the same body without `page` to the target of `Link`.
     */
    post: operations['searchTransactions'];
  };
  '/api/users': {
    /**
     * List accounts
     * @description Ordered by id, not paged. ADMIN only.
     */
    get: operations['listUsers'];
  };
  '/api/users/{id}': {
    /**
     * Read an account
     * @description ADMIN only.
     */
    get: operations['getUser'];
    /**
     * Delete an account
     * @description ADMIN only. Its tokens stop working at once. Refused while the account has properties.
     */
    delete: operations['deleteUser'];
  };
  '/api/users/me': {
    /**
     * Your own account
     * @description As it is now: a changed role shows at once.
     */
    get: operations['getCurrentUser'];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AccessDeniedProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:access-denied';
    };
    AuthenticationRequiredProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:authentication-required';
    };
    AuthResponse: {
      /**
       * @description A JSON Web Token, for the header `Authorization: Bearer …`.
       * @example eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl
       */
      accessToken: string;
      /**
       * Format: int64
       * @description Seconds.
       * @example 3600
       */
      expiresIn: Int64;
      /**
       * @example Bearer
       * @enum {string}
       */
      tokenType: 'Bearer';
      /** @description The account of the token. */
      user: components['schemas']['UserResponse'];
    };
    BadCredentialsProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:bad-credentials';
    };
    CashFlowResponse: {
      /** @description Unpaid, `PENDING` or `DISPUTED`, not overdue, and due by `to` or without a `dueDate`. One row for each day and vendor. */
      due: components['schemas']['Owed'];
      /**
       * Format: date
       * @description The first upcoming day.
       * @example 2026-02-01
       */
      from: string;
      /**
       * Format: int32
       * @description How many months it looks ahead.
       * @example 1
       */
      months: number;
      /** @description Unpaid, and either `OVERDUE` or past its `dueDate`, as in the search. One row for each vendor. */
      overdue: components['schemas']['Owed'];
      /**
       * Format: int64
       * @description The requested property, if any.
       */
      propertyId: Int64 | null;
      /**
       * @description The time zone of days, months and years: `UTC`, or an area and a location of the IANA database.
       * @example Europe/Lisbon
       */
      timeZone: string;
      /**
       * Format: date
       * @description The last day.
       * @example 2026-02-28
       */
      to: string;
      /** @description Recurring transactions, continued: computed, and stored nowhere. */
      upcoming: components['schemas']['Upcoming'];
    };
    /** @enum {string} */
    ChangeKind: 'written' | 'deleted';
    ConcurrentModificationProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:concurrent-modification';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:concurrent-modification';
    };
    CreatedKeyResponse: {
      /** @example READ */
      access: components['schemas']['KeyAccess'];
      /**
       * Format: date-time
       * @example 2026-01-15T10:30:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2099-01-31T00:00:00.000Z
       */
      expiresAt: string | null;
      /**
       * Format: int64
       * @example 1
       */
      id: Int64;
      /**
       * @description The key, for the header `Authorization: Bearer …`. It is shown this once and kept nowhere.
       * @example pfk_1_wkJ7nFQ0m1xXzS3tY8b5VhL2cR9dGpA6uEoKiTq4sMw
       */
      key: string;
      /**
       * Format: date
       * @description The last day, in UTC, on which the key was used.
       * @example 2026-01-31
       */
      lastUsed: string | null;
      /** @example Nightly sync */
      name: string;
    };
    /** @enum {string} */
    CsvDecimal: '.' | ',';
    /** @enum {string} */
    CsvSeparator: ',' | ';' | 'tab';
    CursorExpiredProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:cursor-expired';
    };
    DuplicateEmailOrDuplicateUsernameOrConcurrentModificationProblem:
      | components['schemas']['DuplicateEmailProblem']
      | components['schemas']['DuplicateUsernameProblem']
      | components['schemas']['ConcurrentModificationProblem'];
    DuplicateEmailProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:duplicate-email';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:duplicate-email';
    };
    /** @enum {string} */
    DuplicateKey: 'content' | 'reference';
    /** @enum {string} */
    DuplicateRule: 'refuse' | 'skip' | 'allow';
    DuplicateUsernameProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:duplicate-username';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:duplicate-username';
    };
    /**
     * @description When left out: ONE_TIME, or null for a recurring transaction.
     * @enum {string}
     */
    Frequency:
      'ONE_TIME' | 'DAILY' | 'WEEKLY' | 'BI_WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'SEMI_ANNUALLY' | 'ANNUALLY';
    HeadersTooLargeProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:headers-too-large';
    };
    HealthComponent: {
      /** @description The result of the check. */
      details?: {
        [key: string]: unknown;
      };
      /** @example UP */
      status: components['schemas']['HealthStatus'];
    };
    HealthResponse: {
      /** @description ADMIN only. */
      components?: {
        [key: string]: components['schemas']['HealthComponent'];
      };
      /** @description For an ADMIN, and only in the aggregate. */
      groups?: string[];
      /** @example UP */
      status: components['schemas']['HealthStatus'];
    };
    /** @enum {string} */
    HealthStatus: 'DOWN' | 'OUT_OF_SERVICE' | 'UP';
    IdempotencyKeyReusedProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:idempotency-key-reused';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:idempotency-key-reused';
    };
    ImportChange: {
      /** @example amount */
      field: string;
      /**
       * @description Its text, of which at most 255 characters.
       * @example 100.00
       */
      from: string | null;
      /**
       * Format: int32
       * @example 17
       */
      line: number;
      /**
       * @description Its text, of which at most 255 characters.
       * @example 120.00
       */
      to: string | null;
    };
    ImportFinding: {
      /**
       * @description The field, or an element of it; null when it is about the whole row.
       * @example null
       */
      field: string | null;
      /**
       * Format: int32
       * @description Where the row begins in the file.
       * @example 17
       */
      line: number;
      /** @example is a duplicate of transaction 4711 */
      reason: string;
    };
    ImportLine: {
      /**
       * @description False where the transaction was there before.
       * @example true
       */
      created: boolean;
      /**
       * Format: int64
       * @description Null where a dry run would create one.
       * @example 4711
       */
      id: Int64 | null;
      /**
       * Format: int32
       * @example 17
       */
      line: number;
    };
    /** @enum {string} */
    ImportMode: 'create' | 'update';
    ImportRefusedOrIdempotencyKeyReusedProblem:
      components['schemas']['ImportRefusedProblem'] | components['schemas']['IdempotencyKeyReusedProblem'];
    ImportRefusedProblem: components['schemas']['Problem'] & {
      /**
       * Format: int32
       * @description Rows that repeat a stored transaction.
       */
      duplicates: number;
      /**
       * Format: int32
       * @description All other faults.
       */
      faults: number;
      /** @description The first faults and duplicates, by line. */
      findings: components['schemas']['ImportFinding'][];
      /**
       * Format: int32
       * @description Rows of the file, without the header line.
       */
      rows: number;
      /** @enum {string} */
      type?: 'urn:property-finance:problem:import-refused';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:import-refused';
    };
    ImportResponse: {
      /** @description The first 1000 changes, of a dry run of an update alone. */
      changes?: components['schemas']['ImportChange'][];
      /**
       * Format: int32
       * @description Transactions that were stored, or would have been.
       * @example 118
       */
      created: number;
      /**
       * @description Whether this was a dry run, which stores nothing.
       * @example false
       */
      dryRun: boolean;
      /**
       * Format: int32
       * @description Rows that were skipped, or allowed, as duplicates.
       * @example 2
       */
      duplicates: number;
      /** @description The first 100 duplicates, by line. */
      findings: components['schemas']['ImportFinding'][];
      /** @description Every row of the file, with `lines=true` alone. */
      lines?: components['schemas']['ImportLine'][];
      /**
       * Format: int32
       * @description Rows of the file, without the header line.
       * @example 120
       */
      rows: number;
      /**
       * Format: int32
       * @description Transactions that were changed, or would have been.
       * @example 0
       */
      updated: number;
    };
    InfoResponse: {
      app: {
        /** @example An open ledger API */
        description: string;
        /** @example property-finance */
        name: string;
      };
      build: {
        /** @example property-finance-service */
        artifact: string;
        /** @example property-finance-service */
        name: string;
        /**
         * @description A date and time, unless the build knew none.
         * @example 2026-03-01T08:00:00.000Z
         */
        time: string | null;
        /** @example 1.0.0 */
        version: string;
      };
      git: {
        /** @example main */
        branch: string;
        commit: {
          /** @example 4c1d2f0e9b7a6c5d8e3f1a2b4c6d8e0f1a3b5c7d */
          id: string;
          /**
           * @description A date and time, unless the build knew none.
           * @example 2026-03-01T07:45:00.000Z
           */
          time: string | null;
        };
      };
      node: {
        /** @example v24.0.0 */
        version: string;
      };
      os: {
        /** @example x64 */
        arch: string;
        /** @example Linux */
        name: string;
        /** @example 6.1.0 */
        version: string;
      };
    };
    InternalErrorProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:internal-error';
    };
    /**
     * @description `READ` admits GET, HEAD, the search and exports; `WRITE` everything but API keys.
     * @enum {string}
     */
    KeyAccess: 'READ' | 'WRITE';
    KeyRequest: {
      /**
       * @description `READ` admits GET, HEAD, the search and exports; `WRITE` everything but API keys.
       * @example READ
       */
      access: components['schemas']['KeyAccess'];
      /**
       * Format: date-time
       * @description Without it, the key is valid until deleted.
       * @example 2099-01-31T00:00:00Z
       */
      expiresAt?: string | null;
      /**
       * @description Tells your keys apart.
       * @example Nightly sync
       */
      name: string;
    };
    KeyResponse: {
      /** @example READ */
      access: components['schemas']['KeyAccess'];
      /**
       * Format: date-time
       * @example 2026-01-15T10:30:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2099-01-31T00:00:00.000Z
       */
      expiresAt: string | null;
      /**
       * Format: int64
       * @example 1
       */
      id: Int64;
      /**
       * Format: date
       * @description The last day, in UTC, on which the key was used.
       * @example 2026-01-31
       */
      lastUsed: string | null;
      /** @example Nightly sync */
      name: string;
    };
    LinksResponse: {
      /**
       * @example {
       *       "self": {
       *         "href": "/actuator",
       *         "templated": false
       *       },
       *       "health": {
       *         "href": "/actuator/health",
       *         "templated": false
       *       },
       *       "health-path": {
       *         "href": "/actuator/health/{*path}",
       *         "templated": true
       *       },
       *       "info": {
       *         "href": "/actuator/info",
       *         "templated": false
       *       },
       *       "prometheus": {
       *         "href": "/actuator/prometheus",
       *         "templated": false
       *       }
       *     }
       */
      _links: {
        [key: string]: {
          href: string;
          templated: boolean;
        };
      };
    };
    MalformedRequestProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:malformed-request';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:malformed-request';
    };
    MethodNotAllowedProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:method-not-allowed';
    };
    NotAcceptableProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:not-acceptable';
    };
    NotFoundProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:not-found';
    };
    Occurrence: {
      /**
       * @description As it was the last time.
       * @example 64.25
       */
      amount: Decimal;
      /** @example UTILITIES */
      category: components['schemas']['TransactionCategory'];
      /**
       * Format: date
       * @example 2026-02-28
       */
      date: string;
      /** @example Electricity */
      description: string;
      /** @example MONTHLY */
      frequency: components['schemas']['Frequency'];
      /**
       * Format: int64
       * @example 1
       */
      propertyId: Int64;
      /**
       * @description Its current name.
       * @example Harbour Loft
       */
      propertyName: string;
      /**
       * Format: int64
       * @description The latest recorded transaction of the series.
       * @example 17
       */
      transactionId: Int64;
      /** @example EXPENSE */
      type: components['schemas']['TransactionType'];
      /** @example City Power */
      vendor: string | null;
    };
    Owed: {
      /**
       * @description The sum of the expenses.
       * @example 64.25
       */
      payable: Decimal;
      /**
       * @description The sum of the income.
       * @example 0
       */
      receivable: Decimal;
      /** @description The earliest first; those without a date come last. */
      vendors: components['schemas']['OwedByVendor'][];
    };
    OwedByVendor: {
      /**
       * Format: date
       * @description The due date; of overdue amounts the earliest.
       * @example 2026-02-14
       */
      dueOn: string | null;
      /**
       * @description The sum of the expenses.
       * @example 64.25
       */
      payable: Decimal;
      /**
       * @description The sum of the income.
       * @example 0
       */
      receivable: Decimal;
      /**
       * Format: int64
       * @description The number of transactions.
       * @example 1
       */
      transactions: Int64;
      /** @example City Power */
      vendor: string | null;
    };
    PaidWithoutDate: {
      /**
       * Format: int64
       * @description The number of transactions.
       * @example 1
       */
      count: Int64;
      /**
       * @description Without security deposits.
       * @example 166.25
       */
      expenses: Decimal;
      /**
       * @description Without security deposits.
       * @example 0
       */
      income: Decimal;
    };
    PayloadTooLargeProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:payload-too-large';
    };
    /** @enum {string} */
    PaymentMethod:
      | 'CASH'
      | 'CREDIT_CARD'
      | 'DEBIT_CARD'
      | 'BANK_TRANSFER'
      | 'CHECK'
      | 'PAYPAL'
      | 'VENMO'
      | 'ZELLE'
      | 'OTHER';
    /** @description A problem document of RFC 7807. `type` is stable to match on; `detail` is for people. */
    Problem: {
      /**
       * Format: uuid
       * @description The same as in the service’s log.
       */
      correlationId?: string;
      detail: string;
      /** @description Field or parameter → its fault; elements as `tags[1]` or `metadata.key`. At most 50. */
      errors?: {
        [key: string]: string;
      };
      /** @description The path of the request as it was sent, without its query. */
      instance: string;
      /**
       * Format: int32
       * @description The status of the response.
       */
      status: number;
      /** Format: date-time */
      timestamp: string;
      title: string;
      /**
       * Format: uri
       * @description `urn:property-finance:problem:` and the slug.
       */
      type?: string;
    };
    ProfitAndLossFigures: {
      /**
       * @description `depositsReceived` less `depositsReturned`: a liability, not income.
       * @example 200
       */
      depositsHeld: Decimal;
      /**
       * @description Security deposits received.
       * @example 500
       */
      depositsReceived: Decimal;
      /**
       * @description Security deposits returned, or `REFUNDED`.
       * @example 300
       */
      depositsReturned: Decimal;
      /**
       * @description Without refunded amounts and security deposits.
       * @example 166.25
       */
      expenses: Decimal;
      /**
       * @description Without refunded amounts and security deposits.
       * @example 1319.5
       */
      income: Decimal;
      /**
       * @description `income` less `expenses`.
       * @example 1153.25
       */
      net: Decimal;
      /**
       * @description Expenses with the status `REFUNDED`.
       * @example 0
       */
      refundedExpenses: Decimal;
      /**
       * @description Income with the status `REFUNDED`.
       * @example 0
       */
      refundedIncome: Decimal;
    };
    ProfitAndLossGroup: {
      category: components['schemas']['TransactionCategory'] | null;
      /**
       * @description `depositsReceived` less `depositsReturned`: a liability, not income.
       * @example 200
       */
      depositsHeld: Decimal;
      /**
       * @description Security deposits received.
       * @example 500
       */
      depositsReceived: Decimal;
      /**
       * @description Security deposits returned, or `REFUNDED`.
       * @example 300
       */
      depositsReturned: Decimal;
      /**
       * @description Without refunded amounts and security deposits.
       * @example 166.25
       */
      expenses: Decimal;
      /**
       * @description By the second level; empty when there is none.
       * @example []
       */
      groups: components['schemas']['ProfitAndLossPart'][];
      /**
       * @description Without refunded amounts and security deposits.
       * @example 1319.5
       */
      income: Decimal;
      /**
       * @description `income` less `expenses`.
       * @example 1153.25
       */
      net: Decimal;
      /** @description `2026-03`, `2026-Q1` or `2026`. */
      period: string | null;
      /**
       * Format: int64
       * @example 1
       */
      propertyId: Int64 | null;
      /**
       * @description Its current name.
       * @example Harbour Loft
       */
      propertyName: string | null;
      /**
       * @description Expenses with the status `REFUNDED`.
       * @example 0
       */
      refundedExpenses: Decimal;
      /**
       * @description Income with the status `REFUNDED`.
       * @example 0
       */
      refundedIncome: Decimal;
    };
    ProfitAndLossPart: {
      category: components['schemas']['TransactionCategory'] | null;
      /**
       * @description `depositsReceived` less `depositsReturned`: a liability, not income.
       * @example 200
       */
      depositsHeld: Decimal;
      /**
       * @description Security deposits received.
       * @example 500
       */
      depositsReceived: Decimal;
      /**
       * @description Security deposits returned, or `REFUNDED`.
       * @example 300
       */
      depositsReturned: Decimal;
      /**
       * @description Without refunded amounts and security deposits.
       * @example 166.25
       */
      expenses: Decimal;
      /**
       * @description Without refunded amounts and security deposits.
       * @example 1319.5
       */
      income: Decimal;
      /**
       * @description `income` less `expenses`.
       * @example 1153.25
       */
      net: Decimal;
      /** @description `2026-03`, `2026-Q1` or `2026`. */
      period: string | null;
      /**
       * Format: int64
       * @example 1
       */
      propertyId: Int64 | null;
      /**
       * @description Its current name.
       * @example Harbour Loft
       */
      propertyName: string | null;
      /**
       * @description Expenses with the status `REFUNDED`.
       * @example 0
       */
      refundedExpenses: Decimal;
      /**
       * @description Income with the status `REFUNDED`.
       * @example 0
       */
      refundedIncome: Decimal;
    };
    ProfitAndLossResponse: {
      /**
       * @description `accrual` goes by `date`, paid or not; `cash` goes by `paidAt`. What is `PAID` without one is in `paidWithoutDate`.
       * @example accrual
       * @enum {string}
       */
      basis: 'accrual' | 'cash';
      /**
       * Format: date
       * @description The first day. Without it, the report has no beginning.
       * @example 2026-01-01
       */
      from: string | null;
      /**
       * @example [
       *       "property"
       *     ]
       */
      groupBy: ('property' | 'category' | 'month' | 'quarter' | 'year')[];
      /** @description By the first level: properties by their id, categories by their name, periods in their order. Empty without `groupBy`. Groups without transactions are left out. */
      groups: components['schemas']['ProfitAndLossGroup'][];
      /** @description `PAID` in the period by `date`, but without a `paidAt`, and so in no other figure. Null on the accrual basis. */
      paidWithoutDate: components['schemas']['PaidWithoutDate'] | null;
      /**
       * Format: int64
       * @description The requested property, if any.
       */
      propertyId: Int64 | null;
      /**
       * @description The time zone of days, months and years: `UTC`, or an area and a location of the IANA database.
       * @example Europe/Lisbon
       */
      timeZone: string;
      /**
       * Format: date
       * @description The last day, inclusive; without it, the report has no end.
       * @example 2026-12-31
       */
      to: string | null;
      /** @description Everything in the report. */
      total: components['schemas']['ProfitAndLossFigures'];
    };
    /** @enum {string} */
    PropertyBy: 'id' | 'name';
    PropertyChange: {
      /**
       * Format: date-time
       * @description When its transaction began.
       * @example 2026-03-15T09:12:44.120Z
       */
      at: string;
      /** @example written */
      change: components['schemas']['ChangeKind'];
      /**
       * Format: int64
       * @description Of `deleted` alone.
       */
      id?: Int64;
      /** @description Of `written` alone: the property as it is now. */
      property?: components['schemas']['PropertyResponse'];
      /**
       * Format: int32
       * @description Of `written` alone: the number in the `ETag`.
       * @example 1
       */
      version?: number;
    };
    PropertyChanges: {
      changes: components['schemas']['PropertyChange'][];
      /**
       * @description The cursor to go on with, now or tomorrow.
       * @example NzQyLTE
       */
      next: string;
    };
    PropertyPage: {
      content: components['schemas']['PropertyResponse'][];
      /**
       * @description Whether no page follows.
       * @example true
       */
      last: boolean;
      /**
       * Format: int32
       * @example 0
       */
      page: number;
      /**
       * Format: int32
       * @example 20
       */
      size: number;
      /**
       * Format: int64
       * @description On all pages together.
       * @example 1
       */
      totalElements: Int64;
      /**
       * Format: int32
       * @example 1
       */
      totalPages: number;
    };
    PropertyRequest: {
      /**
       * @description Whether the property is currently rented out.
       * @example true
       */
      active: boolean;
      /** @example 12 Quay Street, Porto */
      address: string;
      /**
       * @description For one night, exact to the cent.
       * @example 145.5
       */
      basePrice: DecimalInput;
      /**
       * Format: int32
       * @example 1
       */
      bathrooms: number;
      /**
       * Format: int32
       * @example 2
       */
      bedrooms: number;
      /** @example The key is in the box beside the door. */
      checkInInstructions?: string | null;
      /** @example Two bedrooms above the old harbour */
      description?: string | null;
      /** @example No smoking. Quiet after ten. */
      houseRules?: string | null;
      /**
       * Format: int32
       * @example 4
       */
      maxGuests: number;
      /** @example Harbour Loft */
      name: string;
      /**
       * @description The permit for short-term rental.
       * @example STR-2026-0142
       */
      strPermitNumber?: string | null;
    };
    PropertyResponse: {
      /**
       * @description Whether the property is currently rented out.
       * @example true
       */
      active: boolean;
      /** @example 12 Quay Street, Porto */
      address: string;
      /**
       * @description For one night, exact to the cent.
       * @example 145.5
       */
      basePrice: Decimal;
      /**
       * Format: int32
       * @example 1
       */
      bathrooms: number;
      /**
       * Format: int32
       * @example 2
       */
      bedrooms: number;
      /** @example The key is in the box beside the door. */
      checkInInstructions: string | null;
      /** @example Two bedrooms above the old harbour */
      description: string | null;
      /** @example No smoking. Quiet after ten. */
      houseRules: string | null;
      /**
       * Format: int64
       * @example 1
       */
      id: Int64;
      /**
       * Format: int32
       * @example 4
       */
      maxGuests: number;
      /** @example Harbour Loft */
      name: string;
      /**
       * Format: int64
       * @description The account it belongs to.
       * @example 1
       */
      ownerId: Int64;
      /**
       * @description The permit for short-term rental.
       * @example STR-2026-0142
       */
      strPermitNumber: string | null;
    };
    Refund: {
      refundAmount: Decimal | null;
      /** Format: date-time */
      refundDate: string | null;
      refundReason: string | null;
      refundReference: string | null;
    };
    RequestTimeoutProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:request-timeout';
    };
    ResourceInUseOrConcurrentModificationProblem:
      components['schemas']['ResourceInUseProblem'] | components['schemas']['ConcurrentModificationProblem'];
    ResourceInUseProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:resource-in-use';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:resource-in-use';
    };
    /**
     * @description Given by the server. A change counts from the next request on.
     * @enum {string}
     */
    Role: 'USER' | 'ADMIN';
    ServiceUnavailableProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:service-unavailable';
    };
    SignInRequest: {
      /** @example correct horse battery staple */
      password: string;
      /**
       * @description In any letter case.
       * @example ada
       */
      username: string;
    };
    SignUpRequest: {
      /**
       * @description Unique in any letter case. Exactly one @ with something on both sides; no white space.
       * @example ada@example.com
       */
      email: string;
      /** @example Ada */
      firstName?: string | null;
      /** @example Lovelace */
      lastName?: string | null;
      /**
       * @description Kept as a salted bcrypt hash of cost 10, and never returned.
       * @example correct horse battery staple
       */
      password: string;
      /**
       * @description Unique in any letter case; the name to sign in with.
       * @example ada
       */
      username: string;
    };
    TaxApart: {
      /** @example MORTGAGE */
      category: components['schemas']['TransactionCategory'];
      /**
       * @description Security deposits returned.
       * @example 640.25
       */
      expenses: Decimal;
      /**
       * @description Security deposits received.
       * @example 0
       */
      income: Decimal;
      /** @description The reason, where known. */
      note: string | null;
    };
    TaxDetails: {
      deductible: boolean | null;
      deductionCategory: string | null;
      taxable: boolean | null;
      taxAmount: Decimal | null;
      taxCategory: string | null;
    };
    TaxItem: {
      /**
       * @description Its part of the line.
       * @example 58
       */
      amount: Decimal;
      /** @example CLEANING */
      category: components['schemas']['TransactionCategory'];
    };
    TaxLine: {
      /**
       * @description The sum of its categories: rents less repayments, expenses less refunds.
       * @example 58
       */
      amount: Decimal;
      /**
       * @description The categories assigned to it.
       * @example [
       *       "CLEANING"
       *     ]
       */
      categories: string[];
      /** @description The amount by category, without zeros; line 19 has to be itemised. */
      items: components['schemas']['TaxItem'][];
      /** @example Cleaning and maintenance */
      label: string;
      /**
       * Format: int32
       * @description Its number on the form.
       * @example 7
       */
      line: number;
    };
    TaxSheet: {
      /** @description Amounts that belong on no line. */
      apart: components['schemas']['TaxApart'][];
      /** @description All lines, in their order. */
      lines: components['schemas']['TaxLine'][];
      /**
       * @description Line 3 less line 20: line 21.
       * @example -58
       */
      net: Decimal;
      /**
       * @description The sum of lines 5 to 19: line 20.
       * @example 58
       */
      totalExpenses: Decimal;
    };
    TaxSheetOfProperty: {
      /** @description Amounts that belong on no line. */
      apart: components['schemas']['TaxApart'][];
      /** @description All lines, in their order. */
      lines: components['schemas']['TaxLine'][];
      /**
       * @description Line 3 less line 20: line 21.
       * @example -58
       */
      net: Decimal;
      /**
       * Format: int64
       * @example 1
       */
      propertyId: Int64;
      /**
       * @description Its current name.
       * @example Harbour Loft
       */
      propertyName: string;
      /**
       * @description The sum of lines 5 to 19: line 20.
       * @example 58
       */
      totalExpenses: Decimal;
    };
    TaxYearResponse: {
      /**
       * @description `cash` goes by `paidAt`: `PAID` without one is in `paidWithoutDate`. `accrual` goes by `date`.
       * @example cash
       * @enum {string}
       */
      basis: 'accrual' | 'cash';
      /**
       * @description Part I of Schedule E (Form 1040).
       * @example schedule-e
       * @enum {string}
       */
      form: 'schedule-e';
      /**
       * @description A disclaimer.
       * @example This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.
       */
      notice: string;
      /** @description `PAID` in the period by `date`, but without a `paidAt`, and so in no other figure. Null on the accrual basis. */
      paidWithoutDate: components['schemas']['PaidWithoutDate'] | null;
      /** @description Ordered by id. A property without a transaction in the year is left out. */
      properties: components['schemas']['TaxSheetOfProperty'][];
      /**
       * Format: int64
       * @description The requested property, if any.
       */
      propertyId: Int64 | null;
      /**
       * @description The time zone of days, months and years: `UTC`, or an area and a location of the IANA database.
       * @example Europe/Lisbon
       */
      timeZone: string;
      /** @description All properties together. */
      total: components['schemas']['TaxSheet'];
      /**
       * Format: int32
       * @description The calendar year.
       * @example 2026
       */
      year: number;
    };
    TooManyRequestsProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:too-many-requests';
    };
    TransactionBatchRequest: {
      /** @description Each like the body that records one. */
      transactions: components['schemas']['TransactionRequest'][];
    };
    TransactionBatchResponse: {
      /** @description In the order of the request. */
      transactions: components['schemas']['TransactionResponse'][];
    };
    /**
     * @description Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.
     * @enum {string}
     */
    TransactionCategory:
      | 'BOOKING_PAYMENT'
      | 'CLEANING_FEE'
      | 'SECURITY_DEPOSIT'
      | 'LATE_CHECKOUT_FEE'
      | 'ADDITIONAL_GUEST_FEE'
      | 'OTHER_INCOME'
      | 'CLEANING'
      | 'MAINTENANCE'
      | 'UTILITIES'
      | 'SUPPLIES'
      | 'INSURANCE'
      | 'MORTGAGE'
      | 'PROPERTY_TAX'
      | 'PLATFORM_FEES'
      | 'MARKETING'
      | 'OTHER_EXPENSE'
      | 'TAXES'
      | 'HOA_FEES'
      | 'REPAIRS'
      | 'FURNISHING'
      | 'PROPERTY_MANAGEMENT'
      | 'PERMITS_LICENSES'
      | 'LEGAL_PROFESSIONAL';
    TransactionChange: {
      /**
       * Format: date-time
       * @description When its transaction began.
       * @example 2026-03-15T09:12:44.120Z
       */
      at: string;
      /** @example written */
      change: components['schemas']['ChangeKind'];
      /**
       * Format: int64
       * @description Of `deleted` alone.
       */
      id?: Int64;
      /** @description Of `written` alone: the transaction as it is now. */
      transaction?: components['schemas']['TransactionResponse'];
      /**
       * Format: int32
       * @description Of `written` alone: the number in the `ETag`.
       * @example 1
       */
      version?: number;
    };
    TransactionChanges: {
      changes: components['schemas']['TransactionChange'][];
      /**
       * @description The cursor to go on with, now or tomorrow.
       * @example NzQyLTE
       */
      next: string;
    };
    TransactionPage: {
      content: components['schemas']['TransactionSummary'][];
      /**
       * @description Whether no page follows.
       * @example true
       */
      last: boolean;
      /**
       * Format: int32
       * @example 0
       */
      page: number;
      /**
       * Format: int32
       * @example 20
       */
      size: number;
      /**
       * Format: int64
       * @description On all pages together.
       * @example 1
       */
      totalElements: Int64;
      /**
       * Format: int32
       * @example 1
       */
      totalPages: number;
    };
    TransactionRequest: {
      /**
       * @description Positive; `type` says which way the money goes. At most two decimals, kept digit for digit.
       * @example 436.5
       */
      amount: DecimalInput;
      /**
       * Format: int64
       * @description The stay’s id in a booking tool.
       * @example 90210
       */
      bookingId?: Int64Input | null;
      /** @example HB-2026-0311 */
      bookingReference?: string | null;
      /**
       * @description Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.
       * @example BOOKING_PAYMENT
       */
      category: components['schemas']['TransactionCategory'];
      /**
       * Format: date-time
       * @description RFC 3339; offsets such as `+02` and `+0200` and a decimal comma are read too. Without a zone it is UTC; seconds may be left out; digits beyond milliseconds are cut off.
       * @example 2026-03-14T15:00:00.000Z
       */
      date: string;
      /** @example Three nights in March */
      description: string;
      /**
       * Format: date-time
       * @example 2026-03-14T15:00:00.000Z
       */
      dueDate?: string | null;
      /**
       * @description When left out: ONE_TIME, or null for a recurring transaction.
       * @example ONE_TIME
       */
      frequency?: components['schemas']['Frequency'] | null;
      /**
       * @description Any keys of your own but `__proto__`, kept as they are sent. Empty when left out.
       * @example {
       *       "channel": "direct"
       *     }
       */
      metadata?: {
        [key: string]: string;
      } | null;
      /** @example Paid on arrival. */
      notes?: string | null;
      /**
       * Format: date-time
       * @description The payment. On the cash basis it counts on this day, whatever the status but CANCELLED and REFUNDED; without one it counts on none.
       * @example 2026-03-14T15:05:00.000Z
       */
      paidAt?: string | null;
      /** @example BANK_TRANSFER */
      paymentMethod?: components['schemas']['PaymentMethod'] | null;
      /** @example TRF-88121 */
      paymentReference?: string | null;
      /**
       * Format: int64
       * @description A property of the caller. Another owner’s is 404, like a missing one.
       * @example 1
       */
      propertyId: Int64Input;
      /** @example https://example.com/receipts/88121.pdf */
      receiptUrl?: string | null;
      /**
       * @default false
       * @example false
       */
      recurring?: boolean | null;
      /**
       * @description Any status may follow any other. PAID says that it is paid; the day, by which reports on the cash basis go, is `paidAt`.
       * @default PENDING
       * @example PAID
       */
      status?: components['schemas']['TransactionStatus'] | null;
      /** @example Weekend */
      subcategory?: string | null;
      /**
       * @description Kept as they are sent. Empty when left out.
       * @example [
       *       "spring",
       *       "weekend"
       *     ]
       */
      tags?: string[] | null;
      /** @example INCOME */
      type: components['schemas']['TransactionType'];
      /** @example Harbour Bookings */
      vendor?: string | null;
    };
    TransactionResponse: {
      /**
       * @description Positive; `type` says which way the money goes. At most two decimals, kept digit for digit.
       * @example 436.5
       */
      amount: Decimal;
      /** @description Set by the server; no request can. */
      approvalStatus: string | null;
      /** @description Set by the server; no request can. */
      approvedBy: string | null;
      /**
       * Format: date-time
       * @description Set by the server; no request can.
       */
      approvedDate: string | null;
      /**
       * Format: int64
       * @description The stay’s id in a booking tool.
       * @example 90210
       */
      bookingId: Int64 | null;
      /** @example HB-2026-0311 */
      bookingReference: string | null;
      /**
       * @description Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.
       * @example BOOKING_PAYMENT
       */
      category: components['schemas']['TransactionCategory'];
      /**
       * Format: date-time
       * @example 2026-03-15T09:12:44.120Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description In UTC, to milliseconds.
       * @example 2026-03-14T15:00:00.000Z
       */
      date: string;
      /** @example Three nights in March */
      description: string;
      /**
       * Format: date-time
       * @example 2026-03-14T15:00:00.000Z
       */
      dueDate: string | null;
      /**
       * @description When left out: ONE_TIME, or null for a recurring transaction.
       * @example ONE_TIME
       */
      frequency: components['schemas']['Frequency'] | null;
      /**
       * Format: int64
       * @example 1
       */
      id: Int64;
      /**
       * @description Any keys of your own but `__proto__`, kept as they are sent. Empty when left out.
       * @example {
       *       "channel": "direct"
       *     }
       */
      metadata: {
        [key: string]: string;
      };
      /** @example Paid on arrival. */
      notes: string | null;
      /**
       * Format: date-time
       * @description The payment. On the cash basis it counts on this day, whatever the status but CANCELLED and REFUNDED; without one it counts on none.
       * @example 2026-03-14T15:05:00.000Z
       */
      paidAt: string | null;
      /** @example BANK_TRANSFER */
      paymentMethod: components['schemas']['PaymentMethod'] | null;
      /** @example TRF-88121 */
      paymentReference: string | null;
      /**
       * Format: int64
       * @description A property of the caller. Another owner’s is 404, like a missing one.
       * @example 1
       */
      propertyId: Int64;
      /**
       * @description The property’s name when this was last written: a rename does not rewrite history.
       * @example Harbour Loft
       */
      propertyName: string;
      /** @example https://example.com/receipts/88121.pdf */
      receiptUrl: string | null;
      /** @example false */
      recurring: boolean;
      /** @description Set by the server; no request can. */
      refund: components['schemas']['Refund'] | null;
      /**
       * @description Any status may follow any other. PAID says that it is paid; the day, by which reports on the cash basis go, is `paidAt`.
       * @example PAID
       */
      status: components['schemas']['TransactionStatus'];
      /** @example Weekend */
      subcategory: string | null;
      /**
       * @description Kept as they are sent. Empty when left out.
       * @example [
       *       "spring",
       *       "weekend"
       *     ]
       */
      tags: string[];
      /** @description Set by the server; no request can. */
      taxDetails: components['schemas']['TaxDetails'] | null;
      /** @example INCOME */
      type: components['schemas']['TransactionType'];
      /**
       * Format: date-time
       * @example 2026-03-15T09:12:44.120Z
       */
      updatedAt: string;
      /** @example Harbour Bookings */
      vendor: string | null;
    };
    TransactionSearchRequest: {
      /** @description Exactly this one. */
      approvalStatus?: string | null;
      /**
       * @description Exactly this one.
       * @example HB-2026-0311
       */
      bookingReference?: string | null;
      /**
       * @description Exactly this one.
       * @example BOOKING_PAYMENT
       */
      category?: components['schemas']['TransactionCategory'] | null;
      /**
       * @description In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.
       * @example
       */
      cursor?: string | null;
      /**
       * Format: date-time
       * @description At or before this instant.
       * @example 2026-12-31T23:59:59.999Z
       */
      endDate?: string | null;
      /**
       * @description Exactly this one.
       * @example ONE_TIME
       */
      frequency?: components['schemas']['Frequency'] | null;
      /**
       * @description At most this amount.
       * @example 500
       */
      maxAmount?: DecimalInput | null;
      /**
       * @description At least this amount.
       * @example 100
       */
      minAmount?: DecimalInput | null;
      /**
       * @description `true`: not paid, and either OVERDUE or past its dueDate while still PENDING or DISPUTED. `false`: all others.
       * @example false
       */
      overdue?: boolean | null;
      /**
       * Format: int32
       * @description The page, counted from 0.
       * @default 0
       * @example 0
       */
      page?: number | null;
      /**
       * @description Exactly this one.
       * @example BANK_TRANSFER
       */
      paymentMethod?: components['schemas']['PaymentMethod'] | null;
      /**
       * @description Exactly this one.
       * @example TRF-88121
       */
      paymentReference?: string | null;
      /**
       * Format: int64
       * @description A property that is not the caller’s finds nothing.
       * @example 1
       */
      propertyId?: Int64Input | null;
      /**
       * @description Exactly this one.
       * @example false
       */
      recurring?: boolean | null;
      /**
       * @description A part of description, notes, vendor, subcategory, paymentReference or bookingReference, without regard to letter case. `%` and `_` stand for themselves; a blank term finds everything.
       * @example nights
       */
      searchTerm?: string | null;
      /**
       * Format: int32
       * @description The number of elements on a page.
       * @default 20
       * @example 20
       */
      size?: number | null;
      /**
       * @description By `date`, the latest first, when left out.
       * @example amount
       */
      sortBy?: components['schemas']['TransactionSortField'] | null;
      /**
       * @description In any letter case; `asc` when `sortBy` is given.
       * @example desc
       */
      sortDirection?: string | null;
      /**
       * Format: date-time
       * @description At or after this instant.
       * @example 2026-01-01T00:00:00Z
       */
      startDate?: string | null;
      /**
       * @description Exactly this one.
       * @example PAID
       */
      status?: components['schemas']['TransactionStatus'] | null;
      /**
       * @description Exactly this one.
       * @example INCOME
       */
      type?: components['schemas']['TransactionType'] | null;
      /**
       * @description A part of the vendor’s name, in any letter case.
       * @example harbour
       */
      vendor?: string | null;
    };
    /**
     * @description By `date`, the latest first, when left out.
     * @enum {string}
     */
    TransactionSortField:
      | 'id'
      | 'date'
      | 'amount'
      | 'createdAt'
      | 'updatedAt'
      | 'dueDate'
      | 'paidAt'
      | 'category'
      | 'type'
      | 'status'
      | 'description'
      | 'vendor';
    /**
     * @description Any status may follow any other. PAID says that it is paid; the day, by which reports on the cash basis go, is `paidAt`.
     * @enum {string}
     */
    TransactionStatus: 'PENDING' | 'PAID' | 'OVERDUE' | 'CANCELLED' | 'DISPUTED' | 'REFUNDED';
    TransactionSummary: {
      /**
       * @description Positive; `type` says which way the money goes. At most two decimals, kept digit for digit.
       * @example 436.5
       */
      amount: Decimal;
      /**
       * @description Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.
       * @example BOOKING_PAYMENT
       */
      category: components['schemas']['TransactionCategory'];
      /**
       * Format: date-time
       * @description In UTC, to milliseconds.
       * @example 2026-03-14T15:00:00.000Z
       */
      date: string;
      /** @example Three nights in March */
      description: string;
      /**
       * Format: date-time
       * @example 2026-03-14T15:00:00.000Z
       */
      dueDate: string | null;
      /**
       * Format: int64
       * @example 1
       */
      id: Int64;
      /**
       * Format: date-time
       * @description The payment. On the cash basis it counts on this day, whatever the status but CANCELLED and REFUNDED; without one it counts on none.
       * @example 2026-03-14T15:05:00.000Z
       */
      paidAt: string | null;
      /** @example BANK_TRANSFER */
      paymentMethod: components['schemas']['PaymentMethod'] | null;
      /**
       * Format: int64
       * @description A property of the caller. Another owner’s is 404, like a missing one.
       * @example 1
       */
      propertyId: Int64;
      /**
       * @description The property’s name when this was last written: a rename does not rewrite history.
       * @example Harbour Loft
       */
      propertyName: string;
      /** @example false */
      recurring: boolean;
      /**
       * @description Any status may follow any other. PAID says that it is paid; the day, by which reports on the cash basis go, is `paidAt`.
       * @example PAID
       */
      status: components['schemas']['TransactionStatus'];
      /** @example Weekend */
      subcategory: string | null;
      /** @example INCOME */
      type: components['schemas']['TransactionType'];
      /** @example Harbour Bookings */
      vendor: string | null;
    };
    /** @enum {string} */
    TransactionType: 'EXPENSE' | 'INCOME';
    UnsupportedMediaTypeProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:unsupported-media-type';
    };
    Upcoming: {
      /** @description In the order of their dates. */
      occurrences: components['schemas']['Occurrence'][];
      /**
       * @description The sum of the expenses.
       * @example 64.25
       */
      payable: Decimal;
      /**
       * @description The sum of the income.
       * @example 0
       */
      receivable: Decimal;
    };
    UriTooLongProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:uri-too-long';
    };
    UserResponse: {
      /** @example ada@example.com */
      email: string;
      /** @example Ada */
      firstName: string | null;
      /**
       * Format: int64
       * @example 1
       */
      id: Int64;
      /** @example Lovelace */
      lastName: string | null;
      /**
       * @description Given by the server. A change counts from the next request on.
       * @example USER
       */
      role: components['schemas']['Role'];
      /** @example ada */
      username: string;
    };
    ValidationFailedOrMalformedRequestProblem:
      components['schemas']['ValidationFailedProblem'] | components['schemas']['MalformedRequestProblem'];
    ValidationFailedProblem: components['schemas']['Problem'] & {
      /** @enum {string} */
      type?: 'urn:property-finance:problem:validation-failed';
    } & {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'urn:property-finance:problem:validation-failed';
    };
  };
  responses: {
    /** @description access-denied: Your role does not allow this. */
    AccessDenied: {
      content: {
        'application/problem+json': components['schemas']['AccessDeniedProblem'];
      };
    };
    /** @description authentication-required: There is no bearer token, or it is no longer valid: sign in again. */
    AuthenticationRequired: {
      content: {
        'application/problem+json': components['schemas']['AuthenticationRequiredProblem'];
      };
    };
    /** @description bad-credentials: The username or the password is wrong. */
    BadCredentials: {
      content: {
        'application/problem+json': components['schemas']['BadCredentialsProblem'];
      };
    };
    /** @description concurrent-modification: The resource has changed, or `If-Match` names another version: read it again and retry. */
    ConcurrentModification: {
      content: {
        'application/problem+json': components['schemas']['ConcurrentModificationProblem'];
      };
    };
    /** @description cursor-expired: The cursor is older than the deletions that are kept (90 days unless configured otherwise), or of another copy of the database: after a failover, or a restore. Begin anew with an export, whose `Changes-Cursor` leads on. */
    CursorExpired: {
      content: {
        'application/problem+json': components['schemas']['CursorExpiredProblem'];
      };
    };
    /**
     * @description duplicate-email: An account with this e-mail address exists.
     *
     *     duplicate-username: An account with this username exists.
     *
     *     concurrent-modification: The resource has changed, or `If-Match` names another version: read it again and retry.
     */
    DuplicateEmailOrDuplicateUsernameOrConcurrentModification: {
      content: {
        'application/problem+json': components['schemas']['DuplicateEmailOrDuplicateUsernameOrConcurrentModificationProblem'];
      };
    };
    /** @description headers-too-large: The head exceeds 16 KiB or 100 fields. */
    HeadersTooLarge: {
      content: {
        'application/problem+json': components['schemas']['HeadersTooLargeProblem'];
      };
    };
    /** @description idempotency-key-reused: Another request was sent with the same `Idempotency-Key`; nothing was written. Take a new key. */
    IdempotencyKeyReused: {
      content: {
        'application/problem+json': components['schemas']['IdempotencyKeyReusedProblem'];
      };
    };
    /**
     * @description import-refused: Rows of the file are invalid or duplicates, as `findings` lists by line; nothing was stored.
     *
     *     idempotency-key-reused: Another request was sent with the same `Idempotency-Key`; nothing was written. Take a new key.
     */
    ImportRefusedOrIdempotencyKeyReused: {
      content: {
        'application/problem+json': components['schemas']['ImportRefusedOrIdempotencyKeyReusedProblem'];
      };
    };
    /** @description internal-error: An unexpected failure: quote the correlationId. */
    InternalError: {
      content: {
        'application/problem+json': components['schemas']['InternalErrorProblem'];
      };
    };
    /** @description malformed-request: The request could not be read: broken JSON or HTTP, or a body that is not an object. */
    MalformedRequest: {
      content: {
        'application/problem+json': components['schemas']['MalformedRequestProblem'];
      };
    };
    /** @description method-not-allowed: The path does not support this method; `Allow` lists its methods. */
    MethodNotAllowed: {
      content: {
        'application/problem+json': components['schemas']['MethodNotAllowedProblem'];
      };
    };
    /** @description not-acceptable: `Accept` admits none of the media types of the operation. */
    NotAcceptable: {
      content: {
        'application/problem+json': components['schemas']['NotAcceptableProblem'];
      };
    };
    /** @description not-found: There is no such resource, or it belongs to another account. */
    NotFound: {
      content: {
        'application/problem+json': components['schemas']['NotFoundProblem'];
      };
    };
    /** @description payload-too-large: The body exceeds the limit: 1 MiB unless configured otherwise, 10 MiB for a file. */
    PayloadTooLarge: {
      content: {
        'application/problem+json': components['schemas']['PayloadTooLargeProblem'];
      };
    };
    /** @description request-timeout: The request took too long to arrive. */
    RequestTimeout: {
      content: {
        'application/problem+json': components['schemas']['RequestTimeoutProblem'];
      };
    };
    /** @description resource-in-use: Other records depend on the resource; nothing was removed. */
    ResourceInUse: {
      content: {
        'application/problem+json': components['schemas']['ResourceInUseProblem'];
      };
    };
    /**
     * @description resource-in-use: Other records depend on the resource; nothing was removed.
     *
     *     concurrent-modification: The resource has changed, or `If-Match` names another version: read it again and retry.
     */
    ResourceInUseOrConcurrentModification: {
      content: {
        'application/problem+json': components['schemas']['ResourceInUseOrConcurrentModificationProblem'];
      };
    };
    /** @description service-unavailable: The database is unavailable or too busy, or too many large responses or files are being sent. Retry after the seconds of `Retry-After`; before repeating a POST, check whether it succeeded. */
    ServiceUnavailable: {
      content: {
        'application/problem+json': components['schemas']['ServiceUnavailableProblem'];
      };
    };
    /** @description too-many-requests: The account’s other requests hold its share of the database connections, or its previous export or import is still running. Retry after the seconds of `Retry-After`; nothing was written. */
    TooManyRequests: {
      content: {
        'application/problem+json': components['schemas']['TooManyRequestsProblem'];
      };
    };
    /** @description unsupported-media-type: The body has another media type than the operation reads, is not UTF-8, or has a Content-Encoding. */
    UnsupportedMediaType: {
      content: {
        'application/problem+json': components['schemas']['UnsupportedMediaTypeProblem'];
      };
    };
    /** @description uri-too-long: The URL is longer than 8192 characters. */
    UriTooLong: {
      content: {
        'application/problem+json': components['schemas']['UriTooLongProblem'];
      };
    };
    /**
     * @description validation-failed: The request has invalid fields; see errors.
     *
     *     malformed-request: The request could not be read: broken JSON or HTTP, or a body that is not an object.
     */
    ValidationFailedOrMalformedRequest: {
      content: {
        'application/problem+json': components['schemas']['ValidationFailedOrMalformedRequestProblem'];
      };
    };
  };
  parameters: {
    /**
     * @description The known ETag. While the resource still has it, the response is 304.
     * @example "7"
     */
    IfNoneMatch: string;
    /**
     * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
     * @example import-2026-03-14.17
     */
    RequestId: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type AccessDeniedProblem = components['schemas']['AccessDeniedProblem'];
export type AuthenticationRequiredProblem = components['schemas']['AuthenticationRequiredProblem'];
export type AuthResponse = components['schemas']['AuthResponse'];
export type BadCredentialsProblem = components['schemas']['BadCredentialsProblem'];
export type CashFlowResponse = components['schemas']['CashFlowResponse'];
export type ChangeKind = components['schemas']['ChangeKind'];
export type ConcurrentModificationProblem = components['schemas']['ConcurrentModificationProblem'];
export type CreatedKeyResponse = components['schemas']['CreatedKeyResponse'];
export type CsvDecimal = components['schemas']['CsvDecimal'];
export type CsvSeparator = components['schemas']['CsvSeparator'];
export type CursorExpiredProblem = components['schemas']['CursorExpiredProblem'];
export type DuplicateEmailOrDuplicateUsernameOrConcurrentModificationProblem =
  components['schemas']['DuplicateEmailOrDuplicateUsernameOrConcurrentModificationProblem'];
export type DuplicateEmailProblem = components['schemas']['DuplicateEmailProblem'];
export type DuplicateKey = components['schemas']['DuplicateKey'];
export type DuplicateRule = components['schemas']['DuplicateRule'];
export type DuplicateUsernameProblem = components['schemas']['DuplicateUsernameProblem'];
export type Frequency = components['schemas']['Frequency'];
export type HeadersTooLargeProblem = components['schemas']['HeadersTooLargeProblem'];
export type HealthComponent = components['schemas']['HealthComponent'];
export type HealthResponse = components['schemas']['HealthResponse'];
export type HealthStatus = components['schemas']['HealthStatus'];
export type IdempotencyKeyReusedProblem = components['schemas']['IdempotencyKeyReusedProblem'];
export type ImportChange = components['schemas']['ImportChange'];
export type ImportFinding = components['schemas']['ImportFinding'];
export type ImportLine = components['schemas']['ImportLine'];
export type ImportMode = components['schemas']['ImportMode'];
export type ImportRefusedOrIdempotencyKeyReusedProblem =
  components['schemas']['ImportRefusedOrIdempotencyKeyReusedProblem'];
export type ImportRefusedProblem = components['schemas']['ImportRefusedProblem'];
export type ImportResponse = components['schemas']['ImportResponse'];
export type InfoResponse = components['schemas']['InfoResponse'];
export type InternalErrorProblem = components['schemas']['InternalErrorProblem'];
export type KeyAccess = components['schemas']['KeyAccess'];
export type KeyRequest = components['schemas']['KeyRequest'];
export type KeyResponse = components['schemas']['KeyResponse'];
export type LinksResponse = components['schemas']['LinksResponse'];
export type MalformedRequestProblem = components['schemas']['MalformedRequestProblem'];
export type MethodNotAllowedProblem = components['schemas']['MethodNotAllowedProblem'];
export type NotAcceptableProblem = components['schemas']['NotAcceptableProblem'];
export type NotFoundProblem = components['schemas']['NotFoundProblem'];
export type Occurrence = components['schemas']['Occurrence'];
export type Owed = components['schemas']['Owed'];
export type OwedByVendor = components['schemas']['OwedByVendor'];
export type PaidWithoutDate = components['schemas']['PaidWithoutDate'];
export type PayloadTooLargeProblem = components['schemas']['PayloadTooLargeProblem'];
export type PaymentMethod = components['schemas']['PaymentMethod'];
export type Problem = components['schemas']['Problem'];
export type ProfitAndLossFigures = components['schemas']['ProfitAndLossFigures'];
export type ProfitAndLossGroup = components['schemas']['ProfitAndLossGroup'];
export type ProfitAndLossPart = components['schemas']['ProfitAndLossPart'];
export type ProfitAndLossResponse = components['schemas']['ProfitAndLossResponse'];
export type PropertyBy = components['schemas']['PropertyBy'];
export type PropertyChange = components['schemas']['PropertyChange'];
export type PropertyChanges = components['schemas']['PropertyChanges'];
export type PropertyPage = components['schemas']['PropertyPage'];
export type PropertyRequest = components['schemas']['PropertyRequest'];
export type PropertyResponse = components['schemas']['PropertyResponse'];
export type Refund = components['schemas']['Refund'];
export type RequestTimeoutProblem = components['schemas']['RequestTimeoutProblem'];
export type ResourceInUseOrConcurrentModificationProblem =
  components['schemas']['ResourceInUseOrConcurrentModificationProblem'];
export type ResourceInUseProblem = components['schemas']['ResourceInUseProblem'];
export type Role = components['schemas']['Role'];
export type ServiceUnavailableProblem = components['schemas']['ServiceUnavailableProblem'];
export type SignInRequest = components['schemas']['SignInRequest'];
export type SignUpRequest = components['schemas']['SignUpRequest'];
export type TaxApart = components['schemas']['TaxApart'];
export type TaxDetails = components['schemas']['TaxDetails'];
export type TaxItem = components['schemas']['TaxItem'];
export type TaxLine = components['schemas']['TaxLine'];
export type TaxSheet = components['schemas']['TaxSheet'];
export type TaxSheetOfProperty = components['schemas']['TaxSheetOfProperty'];
export type TaxYearResponse = components['schemas']['TaxYearResponse'];
export type TooManyRequestsProblem = components['schemas']['TooManyRequestsProblem'];
export type TransactionBatchRequest = components['schemas']['TransactionBatchRequest'];
export type TransactionBatchResponse = components['schemas']['TransactionBatchResponse'];
export type TransactionCategory = components['schemas']['TransactionCategory'];
export type TransactionChange = components['schemas']['TransactionChange'];
export type TransactionChanges = components['schemas']['TransactionChanges'];
export type TransactionPage = components['schemas']['TransactionPage'];
export type TransactionRequest = components['schemas']['TransactionRequest'];
export type TransactionResponse = components['schemas']['TransactionResponse'];
export type TransactionSearchRequest = components['schemas']['TransactionSearchRequest'];
export type TransactionSortField = components['schemas']['TransactionSortField'];
export type TransactionStatus = components['schemas']['TransactionStatus'];
export type TransactionSummary = components['schemas']['TransactionSummary'];
export type TransactionType = components['schemas']['TransactionType'];
export type UnsupportedMediaTypeProblem = components['schemas']['UnsupportedMediaTypeProblem'];
export type Upcoming = components['schemas']['Upcoming'];
export type UriTooLongProblem = components['schemas']['UriTooLongProblem'];
export type UserResponse = components['schemas']['UserResponse'];
export type ValidationFailedOrMalformedRequestProblem =
  components['schemas']['ValidationFailedOrMalformedRequestProblem'];
export type ValidationFailedProblem = components['schemas']['ValidationFailedProblem'];
export type $defs = Record<string, never>;
export interface operations {
  getActuatorLinks: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description Links to the other operations. */
      200: {
        content: {
          'application/json': components['schemas']['LinksResponse'];
        };
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getHealth: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description UP. */
      200: {
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
      400: components['responses']['MalformedRequest'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      /** @description DOWN, or OUT_OF_SERVICE while the process stops. */
      503: {
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
    };
  };
  getLiveness: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description UP. */
      200: {
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
      400: components['responses']['MalformedRequest'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      /** @description DOWN, or OUT_OF_SERVICE while the process stops. */
      503: {
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description UP. */
      200: {
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
      400: components['responses']['MalformedRequest'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      /** @description DOWN, or OUT_OF_SERVICE while the process stops. */
      503: {
        content: {
          'application/json': components['schemas']['HealthResponse'];
        };
      };
    };
  };
  getInfo: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The build that is running, and its platform. */
      200: {
        content: {
          'application/json': components['schemas']['InfoResponse'];
        };
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getMetrics: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description All series, in Prometheus’s text format. */
      200: {
        content: {
          'text/plain; version=0.0.4; charset=utf-8': string;
        };
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  signIn: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SignInRequest'];
      };
    };
    responses: {
      /** @description An access token and the account that it belongs to. */
      200: {
        content: {
          'application/json': components['schemas']['AuthResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['BadCredentials'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  signUp: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SignUpRequest'];
      };
    };
    responses: {
      /** @description The new account. */
      201: {
        content: {
          'application/json': components['schemas']['UserResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['DuplicateEmailOrDuplicateUsernameOrConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listKeys: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description Every key of the caller, without its text. */
      200: {
        content: {
          'application/json': components['schemas']['KeyResponse'][];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createKey: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['KeyRequest'];
      };
    };
    responses: {
      /** @description The key, and what is kept of it. */
      201: {
        content: {
          'application/json': components['schemas']['CreatedKeyResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ResourceInUse'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteKey: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The key is gone. */
      200: {
        content?: never;
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listProperties: {
    parameters: {
      query?: {
        /**
         * @description In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.
         * @example
         */
        cursor?: string;
        /**
         * @description The page, counted from 0.
         * @example 0
         */
        page?: number;
        /**
         * @description The number of elements on a page.
         * @example 20
         */
        size?: number;
        /**
         * @description The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key, and the only one when left out. `date` stands for createdAt and `amount` for basePrice.
         * @example [
         *       "name,asc"
         *     ]
         */
        sort?: string[];
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description A page; past the end an empty one. */
      200: {
        content: {
          'application/json': components['schemas']['PropertyPage'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createProperty: {
    parameters: {
      header?: {
        /**
         * @description A key of your own for this request, such as a UUID. For 24 hours, the same request with the same key writes nothing and gets the first response again, also when the row has been changed or deleted since; another request with the key gets 422.
         * @example createProperty-4fd1b6d2
         */
        'Idempotency-Key'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PropertyRequest'];
      };
    };
    responses: {
      /** @description The new property. */
      200: {
        content: {
          'application/json': components['schemas']['PropertyResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getProperty: {
    parameters: {
      header?: {
        /**
         * @description The known ETag. While the resource still has it, the response is 304.
         * @example "7"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The property. */
      200: {
        content: {
          'application/json': components['schemas']['PropertyResponse'];
        };
      };
      /** @description The resource still has the version of `If-None-Match`. */
      304: {
        content?: never;
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateProperty: {
    parameters: {
      header?: {
        /**
         * @description The ETag that was read. When the resource has another version, the response is 409.
         * @example "1"
         */
        'If-Match'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PropertyRequest'];
      };
    };
    responses: {
      /** @description The property as it is now. */
      200: {
        content: {
          'application/json': components['schemas']['PropertyResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteProperty: {
    parameters: {
      header?: {
        /**
         * @description The ETag that was read. When the resource has another version, the response is 409.
         * @example "1"
         */
        'If-Match'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The property is gone. */
      200: {
        content?: never;
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ResourceInUseOrConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listPropertyChanges: {
    parameters: {
      query?: {
        /**
         * @description The `next` of the page before, or the `Changes-Cursor` of an export. Without it, or empty, all rows come from the beginning.
         * @example
         */
        cursor?: string;
        /** @description The account whose rows are meant: for an ADMIN anybody’s. Your own when left out. */
        ownerId?: Int64Input;
        /**
         * @description The most changes of the page.
         * @example 100
         */
        size?: number;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description At most 1,000 changes, or 1 MiB. */
      200: {
        content: {
          'application/json': components['schemas']['PropertyChanges'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['CursorExpired'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  exportProperties: {
    parameters: {
      query?: {
        /**
         * @description Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.
         * @example false
         */
        bom?: boolean;
        /**
         * @description The decimal sign in the numbers of CSV.
         * @example .
         */
        decimal?: components['schemas']['CsvDecimal'];
        /**
         * @description The character between the cells of CSV. Spreadsheets with decimal commas use `;`.
         * @example ,
         */
        separator?: components['schemas']['CsvSeparator'];
        /**
         * @description The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key, and the only one when left out. `date` stands for createdAt and `amount` for basePrice.
         * @example [
         *       "name,asc"
         *     ]
         */
        sort?: string[];
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The file. CSV has a header, and an apostrophe before texts that a spreadsheet would run as formulas. */
      200: {
        content: {
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      405: components['responses']['MethodNotAllowed'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getCashFlow: {
    parameters: {
      query?: {
        /**
         * @description The first upcoming day, up to 9997-12-31; today by default.
         * @example 2026-02-01
         */
        from?: string;
        /**
         * @description How many months it looks ahead.
         * @example 1
         */
        months?: number;
        /**
         * @description Only this property. Another owner’s is 404, as if it did not exist.
         * @example 1
         */
        propertyId?: Int64Input;
        /**
         * @description The time zone of days, months and years: `UTC`, or an area and a location of the IANA database.
         * @example Europe/Lisbon
         */
        timeZone?: string;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The report. */
      200: {
        content: {
          'application/json': components['schemas']['CashFlowResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getProfitAndLoss: {
    parameters: {
      query?: {
        /**
         * @description `accrual` goes by `date`, paid or not; `cash` goes by `paidAt`. What is `PAID` without one is in `paidWithoutDate`.
         * @example accrual
         */
        basis?: 'accrual' | 'cash';
        /**
         * @description Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.
         * @example false
         */
        bom?: boolean;
        /**
         * @description The decimal sign in the numbers of CSV.
         * @example .
         */
        decimal?: components['schemas']['CsvDecimal'];
        /**
         * @description The first day. Without it, the report has no beginning.
         * @example 2026-01-01
         */
        from?: string;
        /**
         * @description One or two of `property`, `category`, `month`, `quarter` and `year`, the outer one first. When left out, there is only the total.
         * @example property,month
         */
        groupBy?: string;
        /**
         * @description Only this property. Another owner’s is 404, as if it did not exist.
         * @example 1
         */
        propertyId?: Int64Input;
        /**
         * @description The character between the cells of CSV. Spreadsheets with decimal commas use `;`.
         * @example ,
         */
        separator?: components['schemas']['CsvSeparator'];
        /**
         * @description The time zone of days, months and years: `UTC`, or an area and a location of the IANA database.
         * @example Europe/Lisbon
         */
        timeZone?: string;
        /**
         * @description The last day, inclusive; without it, the report has no end.
         * @example 2026-12-31
         */
        to?: string;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The report. */
      200: {
        content: {
          'application/json': components['schemas']['ProfitAndLossResponse'];
          'text/csv': string;
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getTaxYear: {
    parameters: {
      query: {
        /**
         * @description `cash` goes by `paidAt`: `PAID` without one is in `paidWithoutDate`. `accrual` goes by `date`.
         * @example cash
         */
        basis?: 'accrual' | 'cash';
        /**
         * @description Part I of Schedule E (Form 1040).
         * @example schedule-e
         */
        form?: 'schedule-e';
        /**
         * @description Only this property. Another owner’s is 404, as if it did not exist.
         * @example 1
         */
        propertyId?: Int64Input;
        /**
         * @description The time zone of days, months and years: `UTC`, or an area and a location of the IANA database.
         * @example Europe/Lisbon
         */
        timeZone?: string;
        /**
         * @description The calendar year.
         * @example 2026
         */
        year: number;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The report. */
      200: {
        content: {
          'application/json': components['schemas']['TaxYearResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listTransactions: {
    parameters: {
      query?: {
        /**
         * @description In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.
         * @example
         */
        cursor?: string;
        /**
         * @description The page, counted from 0.
         * @example 0
         */
        page?: number;
        /**
         * @description The number of elements on a page.
         * @example 20
         */
        size?: number;
        /**
         * @description The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key. By `date`, the latest first, when left out.
         * @example [
         *       "date,desc"
         *     ]
         */
        sort?: string[];
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description A page; past the end an empty one. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionPage'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createTransaction: {
    parameters: {
      header?: {
        /**
         * @description A key of your own for this request, such as a UUID. For 24 hours, the same request with the same key writes nothing and gets the first response again, also when the row has been changed or deleted since; another request with the key gets 422.
         * @example createTransaction-4fd1b6d2
         */
        'Idempotency-Key'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TransactionRequest'];
      };
    };
    responses: {
      /** @description The new transaction. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getTransaction: {
    parameters: {
      header?: {
        /**
         * @description The known ETag. While the resource still has it, the response is 304.
         * @example "7"
         */
        'If-None-Match'?: components['parameters']['IfNoneMatch'];
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The transaction. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionResponse'];
        };
      };
      /** @description The resource still has the version of `If-None-Match`. */
      304: {
        content?: never;
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateTransaction: {
    parameters: {
      header?: {
        /**
         * @description The ETag that was read. When the resource has another version, the response is 409.
         * @example "1"
         */
        'If-Match'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TransactionRequest'];
      };
    };
    responses: {
      /** @description The transaction as it is now. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteTransaction: {
    parameters: {
      header?: {
        /**
         * @description The ETag that was read. When the resource has another version, the response is 409.
         * @example "2"
         */
        'If-Match'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The transaction is gone. */
      200: {
        content?: never;
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createTransactionBatch: {
    parameters: {
      header?: {
        /**
         * @description A key of your own for this request, such as a UUID. For 24 hours, the same request with the same key writes nothing and gets the first response again, also when the row has been changed or deleted since; another request with the key gets 422.
         * @example createTransactionBatch-4fd1b6d2
         */
        'Idempotency-Key'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TransactionBatchRequest'];
      };
    };
    responses: {
      /** @description The new transactions. */
      201: {
        content: {
          'application/json': components['schemas']['TransactionBatchResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['IdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listTransactionChanges: {
    parameters: {
      query?: {
        /**
         * @description The `next` of the page before, or the `Changes-Cursor` of an export. Without it, or empty, all rows come from the beginning.
         * @example
         */
        cursor?: string;
        /** @description The account whose rows are meant: for an ADMIN anybody’s. Your own when left out. */
        ownerId?: Int64Input;
        /**
         * @description The most changes of the page.
         * @example 100
         */
        size?: number;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description At most 1,000 changes, or 1 MiB. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionChanges'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      410: components['responses']['CursorExpired'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  downloadTransactions: {
    parameters: {
      query?: {
        /** @description Exactly this one. */
        approvalStatus?: string;
        /**
         * @description Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.
         * @example false
         */
        bom?: boolean;
        /**
         * @description Exactly this one.
         * @example HB-2026-0311
         */
        bookingReference?: string;
        /**
         * @description Exactly this one.
         * @example BOOKING_PAYMENT
         */
        category?: components['schemas']['TransactionCategory'];
        /**
         * @description The decimal sign in the numbers of CSV.
         * @example .
         */
        decimal?: components['schemas']['CsvDecimal'];
        /**
         * @description At or before this instant.
         * @example 2026-12-31T23:59:59.999Z
         */
        endDate?: string;
        /**
         * @description Exactly this one.
         * @example ONE_TIME
         */
        frequency?: components['schemas']['Frequency'];
        /**
         * @description At most this amount.
         * @example 500
         */
        maxAmount?: DecimalInput;
        /**
         * @description At least this amount.
         * @example 100
         */
        minAmount?: DecimalInput;
        /**
         * @description `true`: not paid, and either OVERDUE or past its dueDate while still PENDING or DISPUTED. `false`: all others.
         * @example false
         */
        overdue?: boolean;
        /**
         * @description Exactly this one.
         * @example BANK_TRANSFER
         */
        paymentMethod?: components['schemas']['PaymentMethod'];
        /**
         * @description Exactly this one.
         * @example TRF-88121
         */
        paymentReference?: string;
        /**
         * @description A property that is not the caller’s finds nothing.
         * @example 1
         */
        propertyId?: Int64Input;
        /**
         * @description Exactly this one.
         * @example false
         */
        recurring?: boolean;
        /**
         * @description A part of description, notes, vendor, subcategory, paymentReference or bookingReference, without regard to letter case. `%` and `_` stand for themselves; a blank term finds everything.
         * @example nights
         */
        searchTerm?: string;
        /**
         * @description The character between the cells of CSV. Spreadsheets with decimal commas use `;`.
         * @example ,
         */
        separator?: components['schemas']['CsvSeparator'];
        /**
         * @description By `date`, the latest first, when left out.
         * @example amount
         */
        sortBy?: components['schemas']['TransactionSortField'];
        /**
         * @description In any letter case; `asc` when `sortBy` is given.
         * @example desc
         */
        sortDirection?: string;
        /**
         * @description At or after this instant.
         * @example 2026-01-01T00:00:00Z
         */
        startDate?: string;
        /**
         * @description Exactly this one.
         * @example PAID
         */
        status?: components['schemas']['TransactionStatus'];
        /**
         * @description The time zone of the file’s times, which carry their offset (`2026-08-01T00:00:00.000+01:00`): `UTC`, or an area and a location of the IANA database.
         * @example Europe/Lisbon
         */
        timeZone?: string;
        /**
         * @description Exactly this one.
         * @example INCOME
         */
        type?: components['schemas']['TransactionType'];
        /**
         * @description A part of the vendor’s name, in any letter case.
         * @example harbour
         */
        vendor?: string;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The file. CSV has a header, and an apostrophe before texts that a spreadsheet would run as formulas. */
      200: {
        content: {
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      405: components['responses']['MethodNotAllowed'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  exportTransactions: {
    parameters: {
      query?: {
        /**
         * @description Whether CSV begins with a byte order mark, by which some spreadsheets recognise UTF-8.
         * @example false
         */
        bom?: boolean;
        /**
         * @description The decimal sign in the numbers of CSV.
         * @example .
         */
        decimal?: components['schemas']['CsvDecimal'];
        /**
         * @description The character between the cells of CSV. Spreadsheets with decimal commas use `;`.
         * @example ,
         */
        separator?: components['schemas']['CsvSeparator'];
        /**
         * @description The time zone of the file’s times, which carry their offset (`2026-08-01T00:00:00.000+01:00`): `UTC`, or an area and a location of the IANA database.
         * @example Europe/Lisbon
         */
        timeZone?: string;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TransactionSearchRequest'];
      };
    };
    responses: {
      /** @description The file. CSV has a header, and an apostrophe before texts that a spreadsheet would run as formulas. */
      200: {
        content: {
          'application/x-ndjson': string;
          'text/csv': string;
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      406: components['responses']['NotAcceptable'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  importTransactions: {
    parameters: {
      query?: {
        /**
         * @description What a duplicate is known by: all of that, or the reference alone, whatever was corrected.
         * @example reference
         */
        by?: components['schemas']['DuplicateKey'];
        /**
         * @description The decimal sign in the numbers of CSV.
         * @example .
         */
        decimal?: components['schemas']['CsvDecimal'];
        /**
         * @description Reports the same, with each change of an update, but stores nothing.
         * @example false
         */
        dryRun?: boolean;
        /**
         * @description What to do with a row that has the property, the amount, the day (in UTC) and the payment reference, or without one the type, description and vendor, of a stored transaction: refuse the file, skip such rows, or allow them. Rows are counted: of two alike with one stored, one is new.
         * @example skip
         */
        duplicates?: components['schemas']['DuplicateRule'];
        /**
         * @description Names the transaction of each row.
         * @example false
         */
        lines?: boolean;
        /**
         * @description Whether rows are new transactions, or replace those of their `id` if these still have the `version` of the row. Then fields without a column stay as they are, a row that changes nothing is not written, and none is a duplicate.
         * @example create
         */
        mode?: components['schemas']['ImportMode'];
        /**
         * @description With `name`, a row without a `propertyId` belongs to the property of its `propertyName`, if exactly one of yours has that name.
         * @example name
         */
        property?: components['schemas']['PropertyBy'];
        /**
         * @description The character between the cells of CSV. Spreadsheets with decimal commas use `;`.
         * @example ,
         */
        separator?: components['schemas']['CsvSeparator'];
        /**
         * @description The time zone of days without a time (`2026-02-01`) in the file, which mean their first instant: `UTC`, or an area and a location of the IANA database.
         * @example Europe/Lisbon
         */
        timeZone?: string;
      };
      header?: {
        /**
         * @description A key of your own for this request, such as a UUID. For 24 hours, the same request with the same key writes nothing and gets the first response again, also when the row has been changed or deleted since; another request with the key gets 422.
         * @example importTransactions-4fd1b6d2
         */
        'Idempotency-Key'?: string;
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/x-ndjson': string;
        'text/csv': string;
      };
    };
    responses: {
      /** @description Counts of the rows that were stored, or would have been in a dry run. */
      200: {
        content: {
          'application/json': components['schemas']['ImportResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ImportRefusedOrIdempotencyKeyReused'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listPropertyTransactions: {
    parameters: {
      query?: {
        /**
         * @description In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.
         * @example
         */
        cursor?: string;
        /**
         * @description The page, counted from 0.
         * @example 0
         */
        page?: number;
        /**
         * @description The number of elements on a page.
         * @example 20
         */
        size?: number;
        /**
         * @description The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key. By `date`, the latest first, when left out.
         * @example [
         *       "date,desc"
         *     ]
         */
        sort?: string[];
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        propertyId: Int64Input;
      };
    };
    responses: {
      /** @description A page; past the end an empty one. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionPage'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  searchTransactions: {
    parameters: {
      query?: {
        /**
         * @description In place of `page`: the end of the previous page, from the `Link` of its response; an empty cursor starts at the beginning. Every page costs the same at any depth, and rows added or deleted in between neither hide nor repeat others.
         * @example
         */
        cursor?: string;
      };
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TransactionSearchRequest'];
      };
    };
    responses: {
      /** @description A page; past the end an empty one. */
      200: {
        content: {
          'application/json': components['schemas']['TransactionPage'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listUsers: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description Every account. */
      200: {
        content: {
          'application/json': components['schemas']['UserResponse'][];
        };
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getUser: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The account. */
      200: {
        content: {
          'application/json': components['schemas']['UserResponse'];
        };
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteUser: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /**
         * @description An id: plain digits.
         * @example 1
         */
        id: Int64Input;
      };
    };
    responses: {
      /** @description The account is gone. */
      200: {
        content?: never;
      };
      400: components['responses']['ValidationFailedOrMalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      403: components['responses']['AccessDenied'];
      404: components['responses']['NotFound'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      409: components['responses']['ResourceInUseOrConcurrentModification'];
      413: components['responses']['PayloadTooLarge'];
      414: components['responses']['UriTooLong'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getCurrentUser: {
    parameters: {
      header?: {
        /**
         * @description An id of your own for this request, 1 to 64 of A–Z, a–z, 0–9, `.`, `_` and `-`; it is returned and logged. Any other is replaced.
         * @example import-2026-03-14.17
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
    };
    responses: {
      /** @description The account of the token. */
      200: {
        content: {
          'application/json': components['schemas']['UserResponse'];
        };
      };
      400: components['responses']['MalformedRequest'];
      401: components['responses']['AuthenticationRequired'];
      405: components['responses']['MethodNotAllowed'];
      408: components['responses']['RequestTimeout'];
      414: components['responses']['UriTooLong'];
      431: components['responses']['HeadersTooLarge'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
}
