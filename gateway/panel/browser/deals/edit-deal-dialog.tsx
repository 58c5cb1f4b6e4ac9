/** Title, value, owner and day of a deal; what is left as it was is not sent. */
import { useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside, wrongAt } from '../base/field-errors.ts';
import { Alert, Field, Select } from '../base/parts.tsx';
import { memberOptions, type TeamMember } from '../conversations/state/api.ts';
import { amountOf, centsOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { changeDeal, type Deal, type DealChange, TITLE_MAX_CHARS } from './api.ts';

const { deals } = TEXT;

interface EditDealDialogProps {
  readonly deal: Deal;
  readonly team: readonly TeamMember[];
  readonly onClose: () => void;
}

/** As the fields have them. */
interface Edited {
  readonly title: string;
  readonly value: string;
  readonly ownerId: string;
  readonly day: string;
}

function editedOf({ title, valueCents, ownerId, expectedCloseOn }: Deal): Edited {
  const value = amountOf(valueCents);
  return { title, value, ownerId: ownerId ?? '', day: expectedCloseOn ?? '' };
}

/** Null: the value is no amount. */
function changeOf(before: Edited, { title, value, ownerId, day }: Edited): DealChange | null {
  const valueCents = centsOf(value);
  if (valueCents === null) return null;
  return {
    ...(title === before.title ? {} : { title }),
    ...(value === before.value ? {} : { valueCents }),
    ...(ownerId === before.ownerId ? {} : { ownerId: ownerId || null }),
    ...(day === before.day ? {} : { expectedCloseOn: day || null }),
  };
}

export function EditDealDialog({ deal, team, onClose }: EditDealDialogProps) {
  const [before] = useState(() => editedOf(deal));
  const [edited, setEdited] = useState(before);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const set = (name: keyof Edited) => (value: string) => setEdited({ ...edited, [name]: value });
  const save = async () => {
    const change = changeOf(before, edited);
    if (change === null) return setRefused(wrongAt('valueCents', deals.valueInvalid));
    if (Object.keys(change).length === 0) return onClose();
    setBusy(true);
    const outcome = await changeDeal(deal.id, change);
    setBusy(false);
    if (outcome.ok) onClose();
    else setRefused(outcome.refused);
  };
  return (
    <FormDialog
      title={deals.edit}
      confirm={TEXT.save}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <Field
        label={deals.dealTitle}
        value={edited.title}
        onValue={set('title')}
        maxLength={TITLE_MAX_CHARS}
        error={errorAt(refused, 'title')}
        required
      />
      <Field
        label={deals.value}
        value={edited.value}
        onValue={set('value')}
        error={errorAt(refused, 'valueCents')}
      />
      <Select
        label={deals.owner}
        value={edited.ownerId}
        onValue={set('ownerId')}
        options={memberOptions(team, deal.ownerId)}
      />
      <Field
        label={deals.expected}
        type="date"
        value={edited.day}
        onValue={set('day')}
        error={errorAt(refused, 'expectedCloseOn')}
      />
      <Alert refused={errorBeside(refused, ['title', 'valueCents', 'expectedCloseOn'])} />
    </FormDialog>
  );
}
