/**
 * An entry that an earlier owner has committed after its successor's recovery: the conversation's
 * next event names it, so that streams have it first. On the real engine and on the model of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { waitFor } from '../../support/wait-for.ts';
import { bothStores } from './both-stores.ts';
import { CONTACT, Owner } from './owners.ts';

const KEY = 'cnv_1';
const EPOCH = 2;

function written(text: string): CommandOf<'conversation'> {
  return {
    ...{ id: `cmd_${text}`, type: 'inbound', orgId: 'org_1', channelId: 'chn_1' },
    ...{ contactId: CONTACT, phone: '5511998877665', networkId: '5511998877665' },
    ...{ profileName: 'Ana', externalId: `wamid.${text}`, replyToExternalId: null },
    ...{ kind: 'text', text, at: 1, channelLabel: 'Atendimento' },
  };
}

/** Texts of the events that the owner has published, each with the number of those it names. */
function published({ asked }: Owner): readonly unknown[] {
  return asked.flatMap((command) =>
    command.type === 'record-events'
      ? command.events.map(({ data, after }) => [data.text, after?.events.length])
      : [],
  );
}

for (const [name, storeOf] of bothStores()) {
  test(`a late event is named by the next one, on ${name}`, async () => {
    const store = storeOf();
    const old = new Owner('conversation', store);
    const { inFlight, release } = old.holdCommit();
    const late = old.turn(KEY, written('tardia'));
    await inFlight;
    const next = new Owner('conversation', store);
    await next.acquire(KEY, EPOCH);
    release();
    assert.equal((await late).status, 200);
    assert.equal((await next.turn(KEY, written('seguinte'))).status, 200);
    await waitFor(() => published(next).length > 0, { what: 'it is published' });
    assert.deepEqual(published(next), [['seguinte', 1]]);
  });
}
