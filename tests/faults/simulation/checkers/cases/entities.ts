/** Deals, tasks and contacts: well, and gone wrong. */
import type { Asked } from '../../history.ts';
import { asked, contact, delivery, evidence, record, type Shown } from './evidence-fixture.ts';

function created(title: string, over: Partial<Asked> = {}): Asked {
  const said = { data: { id: title } };
  return asked({ operation: 'deal-create', request: { title }, response: said, ...over });
}

function changed(status: string, over: Partial<Asked> = {}): Asked {
  const request = { path: 'deals/deal_1', status };
  return asked({ operation: 'deal-change', status: 200, request, ...over });
}

function told(event: string, times = 1) {
  return Array.from({ length: times }, (_, occurredAt) =>
    delivery({ event, subject: { deal: { id: 'deal_1' }, occurredAt } }),
  );
}

const WON = { status: 'won', closedAt: 5 };
const PHONE = '5511987650001';
const merging = { phone: PHONE, fields: { m1: 'sim' }, tags: ['tag-m1'] };
const merged = asked({ operation: 'contact', request: merging, response: { created: true } });
const whole = contact({ fields: { m1: 'sim' }, tags: ['tag-m1'] });

const registers: Shown = {
  well: evidence({
    deals: [record('deal_1', WON), record('deal_2', { status: 'open' })],
    history: [
      changed('lost', { startedAt: 0, endedAt: 10 }),
      changed('won', { startedAt: 20, endedAt: 30 }),
      changed('open', { startedAt: 40, endedAt: 50, status: 409 }),
      // It may have taken effect, or not at all.
      changed('lost', { startedAt: 40, endedAt: 50, status: 503 }),
    ],
  }),
  wrong: {
    'an acknowledged change is gone': {
      evidence: evidence({ deals: [record('deal_1')], history: [changed('won')] }),
      says: /deal_1 is open after won/,
    },
    'an earlier change has come after a later one': {
      evidence: evidence({
        deals: [record('deal_1', WON)],
        history: [
          changed('won', { startedAt: 0, endedAt: 10 }),
          changed('lost', { startedAt: 20, endedAt: 30 }),
        ],
      }),
      says: /deal_1 is won after lost/,
    },
    'a refused change has taken effect': {
      evidence: evidence({
        deals: [record('deal_1', WON)],
        history: [
          changed('open', { startedAt: 0, endedAt: 10 }),
          changed('won', { startedAt: 20, endedAt: 30, status: 409 }),
        ],
      }),
      says: /deal_1 is won after open/,
    },
    'a deal is half closed': {
      evidence: evidence({ deals: [record('deal_1', { status: 'won' })] }),
      says: /deal_1 is half closed/,
    },
    'a deal is lost without a reason': {
      evidence: evidence({ deals: [record('deal_1', { status: 'lost', closedAt: 5 })] }),
      says: /deal_1 is half lost/,
    },
  },
};

const merges: Shown = {
  well: evidence({
    history: [
      merged,
      asked({ operation: 'inbound-webhook', request: { phone: PHONE, fields: { m2: 'sim' } } }),
      asked({
        operation: 'contact',
        status: 503,
        request: { phone: PHONE, fields: { m3: 'sim' } },
      }),
    ],
    contacts: [contact({ ...whole, fields: { m1: 'sim', m2: 'sim' } })],
  }),
  wrong: {
    'a field was overwritten by somebody beside': {
      evidence: evidence({ history: [merged], contacts: [{ ...whole, fields: {} }] }),
      says: /5511987650001 has lost field m1/,
    },
    'a tag was overwritten by somebody beside': {
      evidence: evidence({ history: [merged], contacts: [{ ...whole, tags: [] }] }),
      says: /5511987650001 has lost tag tag-m1/,
    },
    'one phone has two contacts': {
      evidence: evidence({ contacts: [whole, { ...whole, _id: 'ctc_2' }] }),
      says: /5511987650001 has 2 contacts/,
    },
    'a contact was created twice': {
      evidence: evidence({ history: [merged, merged], contacts: [whole] }),
      says: /5511987650001 was created 2 times/,
    },
  },
};

export const ENTITIES: Readonly<Record<string, Shown>> = {
  createdIsThere: {
    well: evidence({
      history: [
        created('deal_1'),
        created('deal_2', { status: 503, response: null }),
        created('deal_3', { status: 404, response: null }),
        created('task_1', { operation: 'task-create' }),
      ],
      deals: [record('deal_1'), record('deal_2')],
      tasks: [record('task_1')],
    }),
    wrong: {
      'a deal is lost': {
        evidence: evidence({ history: [created('deal_1')] }),
        says: /deal-create deal_1 \(201\) is not there/,
      },
      'a task is lost': {
        evidence: evidence({ history: [created('task_1', { operation: 'task-create' })] }),
        says: /task-create task_1 \(201\) is not there/,
      },
      'a deal is there twice': {
        evidence: evidence({
          history: [created('deal_1', { status: 503, response: null })],
          deals: [record('deal_1'), record('deal_9', { title: 'deal_1' })],
        }),
        says: /deal-create deal_1 \(503\) is there 2 times/,
      },
      'a deal is there that was refused': {
        evidence: evidence({
          history: [created('deal_1', { status: 404, response: null })],
          deals: [record('deal_1')],
        }),
        says: /deal-create deal_1 \(404\) is there all the same/,
      },
    },
  },
  dealEventsMatchTransitions: {
    well: evidence({
      deals: [record('deal_1', WON)],
      history: [changed('won'), changed('lost', { status: 503 }), changed('open'), changed('won')],
      deliveries: [...told('deal.won', 2), ...told('deal.lost')],
    }),
    wrong: {
      'a change was acknowledged and not told': {
        evidence: evidence({ deals: [record('deal_1', WON)], history: [changed('won')] }),
        says: /deal\.won of deal_1 was told 0 times for 1 and 0 calls/,
      },
      'a change was told more often than it was asked for': {
        evidence: evidence({
          deals: [record('deal_1', WON)],
          history: [changed('won'), changed('won', { status: 503 })],
          deliveries: told('deal.won', 3),
        }),
        says: /deal\.won of deal_1 was told 3 times for 1 and 1 calls/,
      },
      'a refused change was told': {
        evidence: evidence({
          deals: [record('deal_1')],
          history: [changed('lost', { status: 422 })],
          deliveries: told('deal.lost'),
        }),
        says: /deal\.lost of deal_1 was told 1 times for 0 and 0 calls/,
      },
    },
  },
  dealsAreRegisters: registers,
  contactsKeepWhatWasMerged: merges,
};
