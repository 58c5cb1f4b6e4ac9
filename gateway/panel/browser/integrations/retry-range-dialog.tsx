/** The deliveries of a subscription that have failed since a day, once more. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../base/dialog.tsx';
import { Alert, Field } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/api.ts';
import { today } from '../format.ts';
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
  readonly until?: string;
}

interface Retried {
  readonly retried: number;
  /** Null: nothing is left of the range. */
  readonly nextSince: string | null;
  readonly until: string | null;
}

export function RetryRangeDialog({ subscriptionId, onClose, onRetried }: RetryRangeDialogProps) {
  const [day, setDay] = useState(today());
  const { busy, refused, make } = useChange('organization');
  const retry = async () => {
    const since = new Date(`${day}T00:00:00`).toISOString();
    let body: Asked | null = { subscriptionId, since };
    let count = 0;
    // Each call takes as many as there is time for, and says where the next one begins.
    while (body !== null) {
      const answer: Data<Retried> | null = await make<Data<Retried>>(PATH, { body });
      if (!answer) return;
      const { retried, nextSince, until }: Retried = answer.data;
      count += retried;
      body =
        nextSince === null
          ? null
          : { subscriptionId, since: nextSince, ...(until ? { until } : {}) };
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
      <Field label={integrations.rangeSince} type="date" value={day} onValue={setDay} required />
      <Alert refused={refused} />
    </FormDialog>
  );
}
