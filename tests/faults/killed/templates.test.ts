/** A process that dies amid a synchronisation of templates (D285). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as v from 'valibot';
import type { AccountDocument, TemplateDocument } from '../../../actors/model/template.ts';
import { ListTemplatesAnswer } from '../../../shared/api/template.ts';
import { list, setMany, setTemplate, useShop } from '../../support/api/templates-fixture.ts';
import { useDatabase, useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const COUNT = 1_500;

const stack = useStack();
const mongo = useDatabase(stack);
const shop = useShop(stack, 'killed');

before(async () => {
  await stack.network.control(`DELETE /templates?businessAccountId=${shop.businessAccountId}`);
  await setMany(stack, shop, COUNT);
  await stack.ask('templates', 'sync', '--org', shop.ref);
});

const account = () =>
  mongo.db
    .collection<AccountDocument>('businessAccounts')
    .findOne({ businessAccountId: shop.businessAccountId });
const templates = () => mongo.db.collection<TemplateDocument>('templates');

/** Kills the process once it has inserted some templates of the next listing. */
async function killAmidListing(): Promise<void> {
  const known = await account();
  assert.ok(known);
  const begun = known.begun + 1;
  const filter = { accountId: known._id, listing: begun };
  await setTemplate(stack, shop, { name: 'modelo_0000', status: 'PAUSED' });
  await waitFor(async () => (await templates().findOne(filter)) !== null, {
    what: 'a part of the listing is inserted',
  });
  process.kill(stack.pid('actors'), 'SIGKILL');
}

test('readers see a whole listing, and the next owner ends the work', async () => {
  const before = await list(stack, shop.key, '?limit=1');
  assert.deepEqual([before.total, before.data[0]?.status], [COUNT, 'APPROVED']);
  await killAmidListing();
  await waitFor(
    async () => {
      const answer = await stack.call('GET', '/api/v1/templates?limit=1', { key: shop.key });
      // Another process has to take over first.
      if (answer.status !== 200) return false;
      const { data, total } = v.parse(ListTemplatesAnswer, answer.json);
      assert.equal(total, COUNT, 'never a part of a listing');
      return data[0]?.status === 'PAUSED';
    },
    { what: 'the pause is shown' },
  );
  await stack.ask('templates', 'sync', '--org', shop.ref);
  const last = await account();
  assert.ok(last);
  const { _id: accountId, shown, previous } = last;
  const stored = await templates().distinct('listing', { accountId });
  assert.ok(
    stored.every((listing) => listing === shown || listing === previous),
    'nothing of the dead is left',
  );
  assert.equal(await templates().countDocuments({ accountId, listing: shown }), COUNT);
});
