import { Refusal } from './api.mjs';
import { writeExactJson } from './exact-json.mjs';

const PATH = '/api/transactions/import?duplicates=skip';

/**
 * Sends the rows of a bank's file to the service in one request, which records all of them or none and skips those
 * recorded before. Returns the faults by the bank's line; without any, the numbers of `created` and `duplicates` too.
 */
export async function uploadRows(api, rows) {
  const propertyIdOf = idsByName(await api.properties());
  const faults = [];
  const sent = [];
  for (const { line, property, transactions } of rows) {
    try {
      const propertyId = propertyIdOf(property);
      for (const { amount, fields } of transactions)
        sent.push({ line, json: writeExactJson({ propertyId, amount }, fields) });
    } catch (error) {
      faults.push({ line, message: error.message });
    }
  }
  if (faults.length > 0) return { faults };
  try {
    const body = sent.map(({ json }) => `${json}\n`).join('');
    const { json } = await api.send('POST', PATH, body, { 'content-type': 'application/x-ndjson' });
    return { faults, ...json };
  } catch (error) {
    if (!(error instanceof Refusal) || error.findings.length === 0) throw error;
    return { faults: error.findings.map((finding) => faultOf(finding, sent)) };
  }
}

/** The line of a finding is that of the request. */
function faultOf({ line, field, reason }, sent) {
  return { line: sent[line - 1].line, message: [field, reason].filter(Boolean).join(' ') };
}

/** Finds a property's id by its name, or takes an id as it is. */
function idsByName(properties) {
  return (wanted) => {
    if (wanted === undefined) throw new Error('neither RULES.json nor --property names the property');
    const found = properties.filter(({ id, name }) => id === wanted || name === wanted);
    if (found.length === 1) return found[0].id;
    throw new Error(`there ${found.length === 0 ? 'is no property' : 'are several properties'} "${wanted}"`);
  };
}
