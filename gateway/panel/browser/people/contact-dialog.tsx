/** The form of a contact: a new one, or the changes of a known one. */
import { useMemo, useState } from 'preact/hooks';
import type { Contact } from '../../../../shared/api/contact.ts';
import { call, type Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside } from '../base/field-errors.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert, Check, Field } from '../base/parts.tsx';
import { freshId } from '../clock.ts';
import { changed } from '../live.ts';
import { TEXT } from '../sentences.ts';
import {
  changeOf,
  type FieldProblem,
  problemOf,
  type WrittenContact,
  withTag,
  writtenOf,
} from './contact-change.ts';
import { FieldRows } from './field-rows.tsx';
import { TagList } from './tag-list.tsx';

const { people: words } = TEXT;
const NAME_MAX_CHARS = 120;
/** Their problems stand beside them. */
const BESIDE = ['phone', 'name', 'email'];

export interface ContactDialogProps {
  /** Null: a new one. */
  readonly contact: Contact | null;
  readonly onClose: () => void;
  readonly onSaved: (contact: Contact) => void;
}

export function ContactDialog({ contact, onClose, onSaved }: ContactDialogProps) {
  // As it was when the form was opened: what others change meanwhile is no change of this person.
  const [before] = useState(contact);
  const [written, setWritten] = useState(() => writtenOf(contact));
  const [tag, setTag] = useState('');
  const { busy, refused, save } = useSave({ before, onClose, onSaved });
  const set = (change: Partial<WrittenContact>) => setWritten({ ...written, ...change });
  return (
    <FormDialog
      title={before === null ? words.create : words.edit}
      confirm={TEXT.save}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void save({ ...written, tags: withTag(written.tags, tag) })}
    >
      {before === null ? (
        <Field
          label={words.phone}
          type="tel"
          value={written.phone}
          onValue={(phone) => set({ phone })}
          error={errorAt(refused, 'phone')}
          required
        />
      ) : null}
      <Field
        label={words.name}
        value={written.name}
        onValue={(name) => set({ name })}
        maxLength={NAME_MAX_CHARS}
        error={errorAt(refused, 'name')}
      />
      <Field
        label={words.email}
        type="email"
        value={written.email}
        onValue={(email) => set({ email })}
        error={errorAt(refused, 'email')}
      />
      <TagList tags={written.tags} onTags={(tags) => set({ tags })} typed={tag} onTyped={setTag} />
      <FieldRows fields={written.fields} onFields={(fields) => set({ fields })} />
      <Check text={words.optIn} checked={written.optIn} onChecked={(optIn) => set({ optIn })} />
      <Alert refused={errorBeside(refused, BESIDE)} />
    </FormDialog>
  );
}

interface SaveParts extends Pick<ContactDialogProps, 'onClose' | 'onSaved'> {
  readonly before: Contact | null;
}

function useSave({ before, onClose, onSaved }: SaveParts) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  /** By the change: a repeat of the same one is done once. */
  const keys = useMemo(() => new Map<string, string>(), []);
  const save = async (written: WrittenContact) => {
    const problem = problemOf(written);
    if (problem) return setRefused({ status: 422, sentence: sentenceOf(problem), issues: [] });
    const body = changeOf(before, written);
    if (body === null) return onClose();
    const id = JSON.stringify(body);
    const idempotencyKey = keys.get(id) ?? freshId();
    keys.set(id, idempotencyKey);
    setBusy(true);
    const path =
      before === null ? '/api/v1/contacts' : `/api/v1/contacts/${encodeURIComponent(before.id)}`;
    const outcome = await call<{ readonly data: Contact }>('POST', path, { body, idempotencyKey });
    setBusy(false);
    if (!outcome.ok) return setRefused(outcome.refused);
    const { data } = outcome.body;
    changed('contact', data.id);
    onSaved(data);
    onClose();
  };
  return { busy, refused, save };
}

function sentenceOf(problem: FieldProblem): string {
  return 'double' in problem ? words.doubleField(isolated(problem.double)) : words.namelessField;
}
