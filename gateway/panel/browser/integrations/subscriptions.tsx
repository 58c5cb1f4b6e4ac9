/** Subscriptions: to which address which events go, and the secret that signs them. */
import { useId, useState } from 'preact/hooks';
import type { SubscriptionRow } from '../../../../shared/provisioning/commands.ts';
import { Alert } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/state/api.ts';
import { type Once, ShownOnce } from '../keys/shown-once.tsx';
import { TEXT } from '../sentences.ts';
import { NewSubscriptionDialog } from './new-subscription-dialog.tsx';

const { integrations } = TEXT;

interface SubscriptionsProps {
  /** Null before the first read. */
  readonly rows: readonly SubscriptionRow[] | null;
}

export function Subscriptions({ rows }: SubscriptionsProps) {
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState<Once | null>(null);
  return (
    <section class="block">
      <header class="row">
        <h2 class="grow">{integrations.subscriptions}</h2>
        <button type="button" class="button" onClick={() => setCreating(true)}>
          {integrations.createSubscription}
        </button>
      </header>
      {rows?.length === 0 ? <p class="soft">{integrations.noSubscriptions}</p> : null}
      <ul class="lines" aria-label={integrations.subscriptions}>
        {(rows ?? []).map((row) => (
          <SubscriptionLine key={row.id} row={row} onSecret={setShown} />
        ))}
      </ul>
      {creating ? (
        <NewSubscriptionDialog
          onClose={() => setCreating(false)}
          onSecret={(secret) => {
            setCreating(false);
            setShown(secret);
          }}
        />
      ) : null}
      {shown ? <ShownOnce once={shown} onClose={() => setShown(null)} /> : null}
    </section>
  );
}

interface SubscriptionLineProps {
  readonly row: SubscriptionRow;
  readonly onSecret: (shown: Once) => void;
}

function SubscriptionLine({ row, onSecret }: SubscriptionLineProps) {
  const { url, events, enabled, disabledReason } = row;
  const { busy, refused, make } = useChange('organization');
  const id = useId();
  const path = `/panel/api/subscriptions/${encodeURIComponent(row.id)}`;
  const rotate = async () => {
    const answer = await make<Data<{ readonly secret: string }>>(`${path}/rotate`);
    if (!answer) return;
    const { secret } = answer.data;
    const lead = integrations.onceRotated;
    onSecret({ secret, title: integrations.rotated, lead, label: integrations.secret });
  };
  return (
    <li>
      <div class="grow">
        <p class="strong anywhere" id={id}>
          {url}
        </p>
        <p class="soft small">
          <span class={enabled ? 'tag state-good' : 'tag state-bad'}>
            {enabled ? integrations.enabled : integrations.disabled}
          </span>{' '}
          {events.map((name) => (name === '*' ? integrations.everyEvent : name)).join(', ')}
        </p>
        {disabledReason === null ? null : <p class="state-bad small">{disabledReason}</p>}
      </div>
      <button
        type="button"
        class="button"
        aria-disabled={busy}
        aria-describedby={id}
        onClick={() => void rotate()}
      >
        {integrations.rotate}
      </button>
      <button
        type="button"
        class="button"
        aria-disabled={busy}
        aria-describedby={id}
        onClick={() => void make(path, { body: { enabled: !enabled } })}
      >
        {enabled ? integrations.disable : integrations.enable}
      </button>
      <Alert refused={refused} />
    </li>
  );
}
