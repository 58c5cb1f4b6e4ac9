/** A new deal of a contact, named by phone. */
import { useMemo, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside, refusedAt, wrongAt } from '../base/field-errors.ts';
import { Alert, Field, Select } from '../base/parts.tsx';
import { freshId } from '../clock.ts';
import { centsOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { createDeal, type Stage, TITLE_MAX_CHARS } from './api.ts';

const NOT_FOUND = 404;
const { deals } = TEXT;

interface NewDealDialogProps {
  readonly stages: readonly Stage[];
  readonly onClose: () => void;
}

export function NewDealDialog({ stages, onClose }: NewDealDialogProps) {
  const [title, setTitle] = useState('');
  const [value, setValue] = useState('');
  const [phone, setPhone] = useState('');
  const [stageId, setStageId] = useState(stages[0]?.id ?? '');
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  // The same for every try with the same content: a repeat creates no second deal.
  const key = useMemo(freshId, [title, value, phone, stageId]);
  const create = async () => {
    const valueCents = centsOf(value);
    if (valueCents === null) {
      setRefused(wrongAt('valueCents', deals.valueInvalid));
      return;
    }
    setBusy(true);
    const outcome = await createDeal({ title, valueCents, phone, stageId }, key);
    setBusy(false);
    if (outcome.ok) onClose();
    // A contact that is not there was named by its phone.
    else if (outcome.refused.status === NOT_FOUND) setRefused(refusedAt('phone', outcome.refused));
    else setRefused(outcome.refused);
  };
  return (
    <FormDialog
      title={deals.create}
      confirm={deals.confirmCreate}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void create()}
    >
      <Field
        label={deals.dealTitle}
        value={title}
        onValue={setTitle}
        maxLength={TITLE_MAX_CHARS}
        error={errorAt(refused, 'title')}
        required
      />
      <Field
        label={deals.contact}
        type="tel"
        value={phone}
        onValue={setPhone}
        error={errorAt(refused, 'phone')}
        required
      />
      <Field
        label={deals.value}
        value={value}
        onValue={setValue}
        error={errorAt(refused, 'valueCents')}
      />
      <Select
        label={deals.stage}
        value={stageId}
        onValue={setStageId}
        options={stages.map(({ id, name }) => [id, name] as const)}
      />
      <Alert refused={errorBeside(refused, ['title', 'phone', 'valueCents'])} />
    </FormDialog>
  );
}
