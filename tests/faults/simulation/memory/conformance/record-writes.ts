/** Writes to contacts, deals, tasks, organizations, deliveries and their side records. */
import fc from 'fast-check';
import type { TaskState } from '../../../../../actors/domain/task.ts';
import type { EntityDocument } from '../../../../../actors/model/entity.ts';
import type { DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import { entityWrite } from '../../../../../actors/outbox/versioned-document.ts';
import { changed, deliveryWrite } from '../../../../../actors/subscription/deliveries/documents.ts';
import { recordedState } from '../../../../../actors/subscription/deliveries/recorded-delivery.ts';
import { TASKS } from '../../../../../actors/task/documents.ts';
import type { Unkeyed, Write } from '../../../../support/plain-store.ts';
import type { Operation } from './operation.ts';
import {
  committed,
  due,
  earlier,
  either,
  few,
  group,
  idsIn,
  inserted,
  moment,
  ORG,
  someOf,
  text,
  updated,
  upserted,
} from './words.ts';

export const contactId = either('ctc_1', 'ctc_2', 'ctc_3');
export const dealId = either('deal_1', 'deal_2');
export const taskId = either('task_1', 'task_2', 'task_3');
export const subscriptionId = either('sub_1', 'sub_2');
export const deliveryId = either('dlv_1', 'dlv_2', 'dlv_3', 'dlv_4');
export const digest = either('digest-1', 'digest-2');
export const PARTITIONS = [3, 7] as const;

const version = fc.integer({ min: 1, max: 4 });
const events = fc.array(fc.record({ id: either('evt_1', 'evt_2'), event: either('deal.won') }), {
  maxLength: 2,
});
/** Of a command that has left its entity's document. */
export const recordId = either('deal_1 cmd_1', 'deal_1 cmd_2', 'ctc_1 cmd_1');
const answers = fc.array(fc.record({ id: either('cmd_1', 'cmd_2'), at: moment }), { maxLength: 2 });

const completed = fc.record({
  recent: fc.array(
    fc.record({ id: either('cmd_1', 'cmd_2'), until: moment, status: either(200, 201) }),
    { maxLength: 3 },
  ),
  leftUntil: moment,
});

/** A new version, or the first; what hangs on an outbox comes and goes with it. */
function versioned(
  update: Unkeyed,
  fields: fc.Arbitrary<Record<string, unknown> & { _id: string }>,
) {
  return fc.tuple(fields, version, fc.boolean()).map(([{ _id, ...rest }, now, empties]): Write => {
    const state = { version: now, ...rest };
    if (now === 1) return { insert: update, document: { _id, ...state } };
    const cleared = empties ? { $unset: { outbox: '', pending: '' } } : {};
    const change = { $set: { ...state, ...(empties ? {} : { pending: 3 }) }, ...cleared };
    return { update, filter: { _id, version: now - 1 }, change, upsert: true };
  });
}

const contact = versioned(
  'contacts',
  fc.record({
    _id: contactId,
    orgId: fc.constant(ORG),
    phone: either('5511987650001', '5511987650002'),
    name: fc.option(text),
    fields: fc.dictionary(either('cor', 'loja'), either('sim', 'não'), { maxKeys: 2 }),
    tags: someOf(['vip', 'novo']),
    search: either('maria 5511', 'joao (preco) 5.5'),
    updatedAt: moment,
    answers,
    completed,
  }),
);
const deal = versioned(
  'deals',
  fc.record({
    _id: dealId,
    state: fc.record({
      orgId: fc.constant(ORG),
      status: either('open', 'won', 'lost'),
      contactId,
      pipelineId: either('pip_1'),
      stageId: either('stg_1', 'stg_2'),
      closedAt: fc.option(moment),
      updatedAt: moment,
    }),
    answers,
    completed,
  }),
);
const one = either('1', '2');
const NO_KEY = { requiredKeys: [] };
const organization = versioned(
  'organizations',
  fc.record({
    _id: either('org_1', 'org_2'),
    ref: either('loja'),
    name: text,
    timeZone: either('America/Sao_Paulo'),
    members: fc.constant([]),
    pipelines: fc.constant([]),
    leftStages: fc.array(fc.record({ id: either('stg_1'), moving: fc.constant(true) }, NO_KEY), {
      maxLength: 2,
    }),
    channels: fc.array(
      fc.record({
        id: either('chn_1', 'chn_2'),
        network: fc.record({ baseUrl: either('sandbox'), phoneNumberId: one, session: one }),
      }),
      { maxLength: 2 },
    ),
    subscriptions: fc.array(fc.record({ id: subscriptionId, enabled: fc.boolean() }), {
      maxLength: 2,
    }),
    keys: fc.array(fc.record({ id: either('key_1', 'key_2') }), { maxLength: 2 }),
    numbers: fc.uniqueArray(either('cloud 1', 'cloud 2', 'web 1'), { minLength: 1, maxLength: 2 }),
  }),
);
const cleared = fc
  .tuple(either('contacts', 'deals', 'tasks'), either('ctc_1', 'deal_1', 'task_1'), version)
  .map(([of, _id, now]) =>
    updated(of, { _id, version: now }, { $unset: { outbox: '', pending: '' } }),
  );

const tagId = either('org_1/vip', 'org_1/novo', 'org_10/vip', 'org_2/ação');
/** Writes of tags, and of the organization's document by its owner. */
const tagged: fc.Arbitrary<Write> = fc.oneof(
  tagId.map((_id) => ({ insert: 'tags', document: { _id, orgId: ORG, name: 'Vip' } })),
  tagId.map((_id): Write => ({ remove: 'tags', filter: { _id } })),
  fc.tuple(either('org_1', 'org_2'), version, text).map(([_id, now, name]) => {
    const $unset = {
      ...{ removed: '', audit: '' },
      ...{ leftStages: '', formerStageNames: '', pipelineCommands: '' },
    };
    const change = { $set: { name, version: now + 1 }, $unset };
    return upserted('organizations', { _id, version: now }, change);
  }),
);

/** No two begin at one time: their order would be any. */
const session: fc.Arbitrary<Write> = either('ses_1', 'ses_2', 'ses_3').chain((_id) =>
  either<Write>(
    { insert: 'sessions', document: { _id, orgId: ORG, createdAt: Number(_id.at(-1)) } },
    updated('sessions', { _id }, { $set: { orgId: '', until: 1 } }),
  ),
);

/** The agenda of reminders comes and goes with the state. */
const task: fc.Arbitrary<Write> = fc
  .record({
    id: taskId,
    version,
    reminder: fc.option(fc.record({ nextAt: moment })),
    done: fc.boolean(),
    createdAt: moment,
    outbox: fc.option(events, { nil: undefined }),
    answers,
    completed,
  })
  .map(({ id, version: now, outbox, answers: kept, completed: done, ...rest }) => {
    const state = { id, orgId: ORG, version: now, ...rest } as unknown as TaskState;
    const left = outbox ? { outbox, pending: 5 } : {};
    const document = { _id: id, version: now, state, answers: kept, completed: done, ...left };
    return entityWrite(TASKS, document as unknown as EntityDocument<TaskState>);
  });

const delivery: fc.Arbitrary<DeliveryDocument> = fc
  .record(
    {
      ...{ _id: deliveryId, subscriptionId, createdAt: moment },
      ...{ partition: either(...PARTITIONS), place: either(3, 80) },
    },
    { requiredKeys: ['_id', 'subscriptionId', 'createdAt', 'partition'] },
  )
  .map((fields) => ({
    ...fields,
    orgId: ORG,
    event: 'message.sent',
    body: '{"event":"message.sent"}',
    ...(fields.createdAt % 2 === 0 ? { order: String(fields.createdAt) } : {}),
    state: recordedState(fields.createdAt, 'pending'),
  }));
const fannedOut = delivery.map((document): Write => ({ insert: 'deliveries', document }));
const attempted: fc.Arbitrary<Write> = fc
  .record({
    of: delivery,
    status: either('pending', 'succeeded', 'failed', 'parked'),
    nextAttemptAt: fc.option(moment),
    counted: few,
    epoch: few,
    series: fc.option(moment, { nil: undefined }),
    now: moment,
  })
  .map(({ of, status, nextAttemptAt, counted, epoch, series, now }) => {
    const next = { ...of.state, status, nextAttemptAt, counted };
    const under = series === undefined ? {} : { series };
    return deliveryWrite(changed(of, next, { epoch, now, ...under }));
  });
const series = fc.option(moment);
const breaker: fc.Arbitrary<Write> = fc
  .record({
    _id: subscriptionId,
    partition: either(...PARTITIONS),
    state: fc.record({ epoch: few, revision: few, active: fc.boolean(), series }),
  })
  .map(({ _id, partition, state }) =>
    upserted('breakers', { _id }, { $max: { state }, $set: { partition } }),
  );

const claimed: fc.Arbitrary<Write> = fc
  .record({ _id: digest, keyId: either('key_1', 'key_2'), released: someOf(['key_2']) })
  .map(({ _id, keyId, released }) => {
    const filter = { _id, keyId: { $in: [keyId, ...released] } };
    return upserted('keys', filter, { $set: { orgId: ORG, keyId } });
  });
const windows: fc.Arbitrary<Write> = fc
  .record({
    stamp: few,
    org: fc.option(fc.record({ startedAt: moment, calls: few }), { nil: undefined }),
    keys: fc.dictionary(either('key_1', 'key_2'), fc.record({ calls: few }), { maxKeys: 2 }),
    lastUsedAt: fc.dictionary(either('key_1', 'key_2'), moment, { maxKeys: 2 }),
  })
  .map(($set) => upserted('windows', { _id: ORG, stamp: { $lt: $set.stamp } }, { $set }));

const call = either('call_1', 'call_2');
const holder = either('gateway_1', 'gateway_2');
const TAKEN_OVER = { holder: 'gateway_3', heldAt: 9, answer: null };
const ANSWERED = { answer: { status: 201, body: '{}' } };
const idempotent: fc.Arbitrary<Write> = fc.oneof(
  fc
    .record({ _id: call, holder, since: moment, heldAt: few, answer: fc.constant(null) })
    .map((document) => inserted('idempotency', document)),
  fc
    .record({ _id: call, holder, heldAt: few })
    .map((filter) => upserted('idempotency', filter, { $set: TAKEN_OVER })),
  fc
    .record({ _id: call, holder })
    .map((filter) => updated('idempotency', filter, { $set: ANSWERED })),
  fc
    .record({ since: due, _id: fc.array(call).map(($in) => ({ $in })) })
    .map((filter): Write => ({ remove: 'idempotency', filter })),
);
const leaving: fc.Arbitrary<Write> = fc.oneof(
  fc
    .record({ _id: recordId, until: moment, status: either(200, 201) })
    .map((document) => inserted('completedCommands', document)),
  fc
    .tuple(fc.record({ _id: recordId }), fc.record({ until: moment, status: either(201) }))
    .map(([filter, $set]) => upserted('completedCommands', filter, { $set })),
  fc
    .record({ until: due, _id: fc.array(recordId).map(($in) => ({ $in })) })
    .map((filter): Write => ({ remove: 'completedCommands', filter })),
);
const swept: fc.Arbitrary<Write> = fc.oneof(
  fc
    .tuple(idsIn(['dlv_1', 'dlv_2']), someOf(['sub_1', 'sub_2']), earlier)
    .map(([{ _id }, $in, createdAt]): Write => {
      const old = { subscriptionId: { $in }, createdAt, 'state.endedAt': createdAt };
      return { remove: 'deliveries', filter: { ...old, _id } };
    }),
  fc
    .record({ _id: digest, keyId: either('key_1') })
    .map((filter): Write => ({ remove: 'keys', filter })),
);
const flow = { _id: 'flw_1.v', flowId: 'flw_1', orgId: ORG, steps: [{ id: 'a' }] };
const flowVersion = moment.map((writtenAt) => inserted('flowVersions', { ...flow, writtenAt }));

export const recordWrites: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: committed(fc.oneof(contact, deal, task, organization, cleared, tagged)), weight: 6 },
  { arbitrary: group(fannedOut), weight: 3 },
  { arbitrary: group(fc.oneof(attempted, breaker)), weight: 4 },
  {
    arbitrary: committed(
      fc.oneof(claimed, windows, idempotent, leaving, swept, flowVersion, session),
    ),
    weight: 5,
  },
);
