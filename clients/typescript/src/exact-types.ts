/** A 64-bit integer as its decimal digits: a JavaScript number holds those up to 2^53 only. */
export type Int64 = string;

/** An exact decimal as its digits, such as `436.50`. */
export type Decimal = string;

/** A 64-bit integer to send. A number has to be a safe integer. */
export type Int64Input = string | number | bigint;

/** A decimal to send. A number has to be small enough to keep two decimals. */
export type DecimalInput = string | number | bigint;
