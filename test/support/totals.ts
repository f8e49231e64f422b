import type { Service } from './service.js';

/** Finds stored totals that differ from the rows. */
export const WRONG_TOTALS = `
    SELECT 'owner' AS of, o.owner_id AS id FROM owner_totals o
     WHERE o.properties <> (SELECT count(*) FROM properties p WHERE p.owner_id = o.owner_id)
        OR o.transactions <> (SELECT count(*) FROM transactions t WHERE t.owner_id = o.owner_id)
    UNION ALL
    SELECT 'owner without totals', p.owner_id FROM properties p
     WHERE NOT EXISTS (SELECT FROM owner_totals o WHERE o.owner_id = p.owner_id)
    UNION ALL
    SELECT 'property', coalesce(p.id, c.property_id) FROM properties p
      FULL JOIN property_totals c ON c.owner_id = p.owner_id AND c.property_id = p.id
     WHERE p.id IS NULL OR c.property_id IS NULL OR c.transactions <>
           (SELECT count(*) FROM transactions t WHERE t.owner_id = p.owner_id AND t.property_id = p.id)`;

export async function differencesOf(service: Service): Promise<unknown[]> {
  return service.sql(WRONG_TOTALS);
}
