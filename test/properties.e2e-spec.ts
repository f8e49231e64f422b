import { createProperty, propertyRequest } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

describe('properties', () => {
  let service: Service;
  let owner: Account;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account();
  });
  afterAll(() => service.stop());

  it('answers a create as it answers the read after it', async () => {
    const created = await owner.post('/api/properties', propertyRequest({ houseRules: 'No "smoking" 🚭' }));
    expect(created.status).toBe(200);
    const read = await owner.get(created.headers.get('location')!);
    expect(read.text).toBe(created.text);
    expect(read.headers.get('etag')).toBe('"1"');
  });

  it('refuses a stale If-Match and accepts the current one', async () => {
    const { id } = await createProperty(owner);
    const path = `/api/properties/${id}`;
    expect((await owner.put(path, propertyRequest({ name: 'New' }), { 'if-match': '"1"' })).status).toBe(200);
    expect((await owner.put(path, propertyRequest(), { 'if-match': '"1"' })).status).toBe(409);
    expect((await owner.delete(path, { 'if-match': '"2"' })).status).toBe(200);
  });
});
