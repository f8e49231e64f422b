import { type PageFacts, pageFrame } from '../http/fields/page.js';
import { AnswerInParts } from '../http/answers/answer-in-parts.js';
import type { AnswerMemory } from '../http/answers/answer-memory.js';
import type { Database, Statement } from './database.js';
import type { ListStatement } from './list-statement.js';
import { type HeavyRows, PART_WEIGHT } from './page-text.js';

/** JSON writes a control character with six bytes. */
const JSON_EXPANSION = 6;
/** At most, of a row's JSON without the texts that are weighed. */
const ROW_BYTES = 8 * 1024;

interface Part {
  readonly ownerId: string;
  readonly ids: string[];
  weight: number;
}

/**
 * A page that is read part by part, each by a statement of its own, so that a client who takes its time holds neither a
 * connection nor more than a part. What is deleted meanwhile is left out; what is changed is shown as it is then.
 */
export async function pageInParts(
  database: Database,
  memory: AnswerMemory,
  query: ListStatement,
  facts: PageFacts,
  rows: HeavyRows,
): Promise<AnswerInParts> {
  const parts = partsOf(rows);
  const statement = partStatement(query);
  const bytes = Math.max(...parts.map(({ weight, ids }) => JSON_EXPANSION * weight + ROW_BYTES * ids.length));
  return AnswerInParts.begin(memory, bytes, async function* (place) {
    const [head, tail] = pageFrame(facts);
    let before = head;
    for (const { ownerId, ids } of parts) {
      const [row] = await place.turn(() => database.read<{ content: string }>(statement, [ownerId, ids]));
      if (row === undefined || row.content === '') continue;
      yield before + row.content;
      before = ',';
    }
    yield before === head ? head + tail : tail;
  });
}

/** Neighbours of one owner that are not too heavy together. */
function partsOf(rows: HeavyRows): Part[] {
  const parts: Part[] = [];
  for (const [ownerId, id, weight] of rows) {
    const last = parts.at(-1);
    if (last?.ownerId === ownerId && last.weight + weight <= PART_WEIGHT) {
      last.ids.push(id);
      last.weight += weight;
    } else parts.push({ ownerId, ids: [id], weight });
  }
  return parts;
}

function partStatement({ table, view }: ListStatement): Statement {
  const text = `SELECT coalesce(string_agg(${view.json}, ',' ORDER BY array_position($2::bigint[], t.id)), '') AS content
    FROM ${table} t WHERE t.owner_id = $1 AND t.id = ANY ($2::bigint[])`;
  return { name: `${table}.part`, text };
}
