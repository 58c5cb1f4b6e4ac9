/** Schemas of deals in requests and answers (C2.9, C4.14, C4.15). */
import * as v from 'valibot';
import {
  DEAL_LOST_REASON_MAX_CHARS,
  DEAL_TITLE_MAX_CHARS,
  DEAL_VALUE_MAX_CENTS,
} from '../limits.ts';
import { isCalendarDay } from '../time/calendar.ts';
import { DEAL_STATUSES } from '../vocabulary.ts';
import { ContactNameSchema } from './contact.ts';
import {
  anyIdText,
  choice,
  id,
  idText,
  pageEntries,
  pageSiblings,
  phoneText,
  requestObject,
  textBetween,
  timestamp,
  wholeCount,
} from './fields.ts';
import { atLeast, atMost, SENTENCES } from './sentences.ts';

/** Sentences about deals and tasks in `issues[].message`. */
export const CRM_SENTENCES = {
  contactRequired: 'Informe contactId ou phone.',
  oneContact: 'Use contactId ou phone, nunca os dois.',
  nothingToChange: 'Informe ao menos um campo para alterar.',
  lostReasonRequired: 'Informe o motivo da perda.',
  lostReasonAlone: 'Use lostReason somente junto com status lost.',
  dayInvalid: 'Deve ser um dia existente, no formato AAAA-MM-DD.',
  timeInvalid: 'Deve ser um horário no formato HH:MM.',
  timeWithoutDay: 'Use dueTime somente em tarefas que têm dia.',
  notMember: 'Não é um membro da equipe.',
  otherContact: 'Não é o contato do negócio informado.',
} as const;

export const DealSchema = v.object({
  id,
  title: v.string(),
  valueCents: wholeCount,
  status: v.picklist(DEAL_STATUSES),
  pipelineId: id,
  stageId: id,
  contact: ContactNameSchema,
  ownerId: v.nullable(v.string()),
  expectedCloseOn: v.nullable(v.string()),
  lostReason: v.nullable(v.string()),
  conversationId: v.nullable(v.string()),
  closedAt: v.nullable(timestamp),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Deal = v.InferOutput<typeof DealSchema>;

const title = textBetween(1, DEAL_TITLE_MAX_CHARS);
const valueCents = v.pipe(
  v.number(SENTENCES.integerExpected),
  v.integer(SENTENCES.integerExpected),
  v.minValue(0, atLeast(0)),
  v.maxValue(DEAL_VALUE_MAX_CENTS, atMost(DEAL_VALUE_MAX_CENTS)),
);
/** `YYYY-MM-DD`, and the day exists. */
export const calendarDay = v.pipe(
  v.string(SENTENCES.textExpected),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, CRM_SENTENCES.dayInvalid),
  v.check(isCalendarDay, CRM_SENTENCES.dayInvalid),
);

/** Rules across fields point at the field to add or drop (D5). */
export const CreateDealBody = v.pipe(
  requestObject({
    contactId: v.optional(anyIdText),
    phone: v.optional(phoneText),
    title,
    valueCents: v.optional(valueCents),
    stageId: v.optional(anyIdText),
    ownerId: v.optional(anyIdText),
    expectedCloseOn: v.optional(calendarDay),
    conversationId: v.optional(anyIdText),
  }),
  v.forward(
    v.partialCheck(
      [['contactId'], ['phone']],
      ({ contactId, phone }) => contactId !== undefined || phone !== undefined,
      CRM_SENTENCES.contactRequired,
    ),
    ['contactId'],
  ),
  v.forward(
    v.partialCheck(
      [['contactId'], ['phone']],
      ({ contactId, phone }) => contactId === undefined || phone === undefined,
      CRM_SENTENCES.oneContact,
    ),
    ['phone'],
  ),
);

const ChangeDealFields = requestObject({
  title: v.optional(title),
  valueCents: v.optional(valueCents),
  ownerId: v.optional(v.nullable(anyIdText)),
  expectedCloseOn: v.optional(v.nullable(calendarDay)),
  stageId: v.optional(anyIdText),
  status: v.optional(choice(DEAL_STATUSES)),
  lostReason: v.optional(textBetween(1, DEAL_LOST_REASON_MAX_CHARS)),
});

export const ChangeDealBody = v.pipe(
  ChangeDealFields,
  v.check(
    (change) => Object.values(change).some((value) => value !== undefined),
    CRM_SENTENCES.nothingToChange,
  ),
  v.forward(
    v.partialCheck(
      [['status'], ['lostReason']],
      ({ status, lostReason }) => status !== 'lost' || lostReason !== undefined,
      CRM_SENTENCES.lostReasonRequired,
    ),
    ['lostReason'],
  ),
  v.forward(
    v.partialCheck(
      [['status'], ['lostReason']],
      ({ status, lostReason }) => status === 'lost' || lostReason === undefined,
      CRM_SENTENCES.lostReasonAlone,
    ),
    ['lostReason'],
  ),
);

export const ListDealsQuery = requestObject({
  status: v.optional(choice(DEAL_STATUSES)),
  pipelineId: v.optional(idText),
  stageId: v.optional(idText),
  contactId: v.optional(idText),
  ...pageEntries,
});

export const DealAnswer = v.object({ data: DealSchema });
export const ListDealsAnswer = v.object({ data: v.array(DealSchema), ...pageSiblings });
