/** Schemas of tasks in requests and answers (C2.10, C4.17, C4.18). */
import * as v from 'valibot';
import { TASK_NOTES_MAX_CHARS, TASK_TITLE_MAX_CHARS } from '../limits.ts';
import { hasTimestamps, TIME_OF_DAY } from '../time/calendar.ts';
import { TASK_STATUSES } from '../vocabulary.ts';
import { CRM_SENTENCES, calendarDay } from './deal.ts';
import {
  anyIdText,
  booleanField,
  choice,
  id,
  idText,
  pageEntries,
  pageSiblings,
  phoneText,
  requestObject,
  textBetween,
  textUpTo,
  timestamp,
} from './fields.ts';
import { SENTENCES } from './sentences.ts';

export const TaskSchema = v.object({
  id,
  title: v.string(),
  notes: v.nullable(v.string()),
  contactId: v.nullable(v.string()),
  dealId: v.nullable(v.string()),
  assigneeId: v.nullable(v.string()),
  dueAt: v.nullable(timestamp),
  dueHasTime: v.boolean(),
  done: v.boolean(),
  doneAt: v.nullable(timestamp),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Task = v.InferOutput<typeof TaskSchema>;

const title = textBetween(1, TASK_TITLE_MAX_CHARS);
const notes = textUpTo(TASK_NOTES_MAX_CHARS);
const dueDay = v.pipe(calendarDay, v.check(hasTimestamps, CRM_SENTENCES.dayInvalid));
const timeOfDay = v.pipe(
  v.string(SENTENCES.textExpected),
  v.regex(TIME_OF_DAY, CRM_SENTENCES.timeInvalid),
);

/** Rules across fields point at the field to add or drop (D5). */
export const CreateTaskBody = v.pipe(
  requestObject({
    title,
    notes: v.optional(notes),
    contactId: v.optional(anyIdText),
    phone: v.optional(phoneText),
    dealId: v.optional(anyIdText),
    assigneeId: v.optional(anyIdText),
    dueOn: v.optional(dueDay),
    dueTime: v.optional(timeOfDay),
  }),
  v.forward(
    v.partialCheck(
      [['contactId'], ['phone']],
      ({ contactId, phone }) => contactId === undefined || phone === undefined,
      CRM_SENTENCES.oneContact,
    ),
    ['phone'],
  ),
  v.forward(
    v.partialCheck(
      [['dueOn'], ['dueTime']],
      ({ dueOn, dueTime }) => dueTime === undefined || dueOn !== undefined,
      CRM_SENTENCES.timeWithoutDay,
    ),
    ['dueTime'],
  ),
);

const ChangeTaskFields = requestObject({
  done: v.optional(booleanField),
  title: v.optional(title),
  notes: v.optional(v.nullable(notes)),
  assigneeId: v.optional(v.nullable(anyIdText)),
  dueOn: v.optional(v.nullable(dueDay)),
  dueTime: v.optional(v.nullable(timeOfDay)),
});

export const ChangeTaskBody = v.pipe(
  ChangeTaskFields,
  v.check(
    (change) => Object.values(change).some((value) => value !== undefined),
    CRM_SENTENCES.nothingToChange,
  ),
  v.forward(
    v.partialCheck(
      [['dueOn'], ['dueTime']],
      ({ dueOn, dueTime }) => dueOn !== null || dueTime === undefined || dueTime === null,
      CRM_SENTENCES.timeWithoutDay,
    ),
    ['dueTime'],
  ),
);

export const ListTasksQuery = requestObject({
  status: v.optional(choice(TASK_STATUSES)),
  contactId: v.optional(idText),
  dealId: v.optional(idText),
  assigneeId: v.optional(idText),
  ...pageEntries,
});

export const TaskAnswer = v.object({ data: TaskSchema });
export const ListTasksAnswer = v.object({ data: v.array(TaskSchema), ...pageSiblings });
