/** The deliveries of a subscription that have failed in a range of days, once more. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside } from '../base/field-errors.ts';
import { Alert, Field } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/state/api.ts';
import { endOfDay, startOfDay, today } from '../format.ts';
import { TEXT } from '../sentences.ts';

const { integrations } = TEXT;
const PATH = '/panel/api/deliveries/retry';

interface RetryRangeDialogProps {
  readonly subscriptionId: string;
  readonly onClose: () => void;
  readonly onRetried: (count: number) => void;
}

interface Asked {
  readonly subscriptionId: string;
  readonly since: string;
  readonly until: string;
}

interface Retried {
  readonly retried: number;
  /** Null: nothing is left of the range. */
  readonly nextSince: string | null;
  readonly until: string | null;
}

export function RetryRangeDialog({ subscriptionId, onClose, onRetried }: RetryRangeDialogProps) {
  const [first, setFirst] = useState(today());
  const [last, setLast] = useState(today());
  const { busy, refused, make } = useChange('organization');
  const retry = async () => {
    const until = endOfDay(last);
    let body: Asked | null = { subscriptionId, since: startOfDay(first), until };
    let count = 0;
    // Each call takes as many as there is time for, and says where the next one begins.
    while (body !== null) {
      const answer: Data<Retried> | null = await make<Data<Retried>>(PATH, { body });
      if (!answer) return;
      const { retried, nextSince, until: end }: Retried = answer.data;
      count += retried;
      body = nextSince === null ? null : { subscriptionId, since: nextSince, until: end ?? until };
    }
    onRetried(count);
    onClose();
  };
  return (
    <FormDialog
      title={integrations.rangeTitle}
      confirm={integrations.retry}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void retry()}
    >
      <div class="pair">
        <Field
          label={integrations.rangeSince}
          type="date"
          value={first}
          onValue={setFirst}
          error={errorAt(refused, 'since')}
          required
        />
        <Field
          label={integrations.rangeUntil}
          type="date"
          value={last}
          onValue={setLast}
          error={errorAt(refused, 'until')}
          required
        />
      </div>
      <Alert refused={errorBeside(refused, ['since', 'until'])} />
    </FormDialog>
  );
}
