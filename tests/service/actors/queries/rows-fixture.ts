/**
 * Rows enough to expose a plan that reads too much: in one organization, with every field that
 * queries ask for. Each query matches half of them at most.
 */
import type { Db, Document } from 'mongodb';

export const ORG = 'org_crowd';
/** How many of each. */
export const FIXTURE_ROWS = 2_000;

type Row = Document & { readonly _id: string };

const MAKERS: Readonly<Record<string, (n: number) => Row>> = {
  organizations: (n) => ({
    _id: `org_${n}`,
    channels: [{ id: `chn_${n}`, network: { baseUrl: '' } }],
    subscriptions: [{ id: `sub_${n}` }],
    keys: [{ id: `key_${n}` }],
  }),
  contacts: (n) => ({
    _id: `ctc_${n}`,
    orgId: ORG,
    phone: `55119${n}`,
    search: `maria ${n}\n55119${n}\n`,
    tags: n % 2 === 0 ? ['vip', `tag ${n % 7}`] : [],
    optIn: n % 2 === 0,
    optInAt: null,
    optOutAt: null,
    createdAt: n,
    updatedAt: n,
    ...(n % 50 === 0 ? { pending: n % 64 } : {}),
  }),
  conversations: (n) => ({
    _id: `cnv_${n}`,
    snapshot: {
      orgId: ORG,
      channelId: `chn_${n % 2}`,
      contactId: `ctc_${n >> 1}`,
      status: ['open', 'in_flow', 'resolved'][n % 3],
      lastMessageAt: n,
      search: `maria ${n}\n55119${n}\n`,
      assignedTo: n % 4 === 0 ? 'mbr_1' : '',
      hasUnread: n % 4 === 1,
    },
  }),
  entries: (n) => ({
    _id: `msg_${n}`,
    conversationId: `cnv_${n % 20}`,
    channelId: `chn_${n % 2}`,
    seq: n,
    externalId: `wamid.${n}`,
    message: { direction: n % 5 === 0 ? 'note' : 'out' },
    after: { orgId: ORG },
    ...(n % 50 === 0
      ? { pending: n % 64, send: { partition: n % 64, at: n, channelId: `chn_${n % 2}` } }
      : {}),
    ...(n % 5 === 1 ? { ownPlace: { at: n - 10, seq: n } } : {}),
    ...(n % 50 === 1 ? { mediaDue: { partition: n % 64, at: n } } : {}),
    ...(n % 50 === 2 ? { timer: { partition: n % 64, at: n } } : {}),
    ...(n % 50 === 3 ? { ended: { flowId: `flw_${n % 4}`, at: n } } : {}),
  }),
  deals: (n) => ({
    _id: `deal_${n}`,
    version: 1,
    state: {
      orgId: ORG,
      status: ['open', 'won', 'lost'][n % 3],
      pipelineId: `ppl_${n % 2}`,
      stageId: `stg_${n % 8}`,
      contactId: `ctc_${n % 200}`,
      valueCents: n,
      updatedAt: n,
    },
    ...(n % 50 === 0 ? { pending: n % 64 } : {}),
  }),
  tasks: (n) => ({
    _id: `task_${n}`,
    version: 1,
    state: {
      orgId: ORG,
      done: n % 2 === 0,
      assigneeId: n % 4 < 2 ? null : `mbr_${n % 8}`,
      contactId: `ctc_${n % 200}`,
      dealId: `deal_${n % 200}`,
      due: n % 3 === 0 ? null : { dueAt: Date.now() + (n - FIXTURE_ROWS / 2) * 3_600_000 },
      createdAt: n,
    },
    ...(n % 50 === 0 ? { pending: n % 64, partition: n % 64, remindAt: n } : {}),
  }),
  deliveries: (n) => ({
    _id: `dlv_${n}`,
    orgId: ORG,
    subscriptionId: `sub_${n % 4}`,
    partition: n % 64,
    createdAt: n,
    ...(n % 4 === 1 ? { order: String(n).padStart(8, '0') } : {}),
    state: {
      status: ['done', 'pending', 'failed', 'parked'][n % 4],
      nextAttemptAt: n,
      ...(n % 8 === 1 ? { position: n } : {}),
      ...(n % 4 === 3 ? { series: 1 } : {}),
    },
  }),
  breakers: (n) => ({ _id: `sub_${n}`, partition: n % 64, state: { active: n % 50 === 0 } }),
  externals: (n) => ({ _id: `ext_${n}`, at: n }),
  uploads: (n) => ({ _id: `upl_${n}`, at: n }),
  sessions: (n) => ({ _id: `digest_${n}`, orgId: `org_${n}`, id: `ses_${n}`, createdAt: n }),
  audit: (n) => ({ _id: `aud_${n}`, orgId: ORG, at: n }),
  persons: (n) => ({ _id: `prs_${n}` }),
  idempotency: (n) => ({ _id: `idm_${n}`, since: n }),
  keys: (n) => ({ _id: `digest_${n}`, keyId: `key_${n}` }),
  businessAccounts: (n) => ({ _id: `wba_${n}`, shown: 1 }),
  templates: (n) => ({
    _id: `tpd_${n}`,
    templateId: `tpl_${n}`,
    accountId: `wba_${n % 4}`,
    listing: 1 + (n % 3),
    name: `modelo_${n >> 3}`,
    language: n % 2 === 0 ? 'pt_BR' : 'en_US',
    status: n % 5 === 0 ? 'PAUSED' : 'APPROVED',
    folded: `modelo_${n}\nola maria`,
  }),
  windows: (n) => ({ _id: `org_${n}` }),
};

export async function insertRowsFixture(db: Db): Promise<void> {
  const numbers = Array.from({ length: FIXTURE_ROWS }, (_, n) => n);
  await Promise.all(
    Object.entries(MAKERS).map(([name, make]) =>
      db.collection<Row>(name).insertMany(numbers.map(make)),
    ),
  );
}
