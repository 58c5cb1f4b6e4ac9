/** What waits in bulk in a channel's queue, and for admins the button that cancels it. */
import { useState } from 'preact/hooks';
import type { CancelledBulk } from '../../../../shared/wire/commands.ts';
import { call, type Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import type { Data } from '../conversations/state/api.ts';
import { changed } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { mayAdminister } from '../session.ts';
import { CHANNELS_PATH, type PanelChannel } from './api.ts';

const { channels } = TEXT;

export function Bulk({ channel }: { readonly channel: PanelChannel }) {
  const { bulk } = channel;
  const [asking, setAsking] = useState(false);
  const [cancelled, setCancelled] = useState<number | null>(null);
  const isOffered = bulk !== undefined && bulk.queued > 0 && mayAdminister();
  return (
    <>
      <p role="status" class={cancelled === null ? 'spoken' : 'notice'}>
        {cancelled === null ? '' : channels.cancelled(cancelled)}
      </p>
      {isOffered ? (
        <div class="row">
          <span class="grow">{channels.bulk(bulk.queued, bulk.more)}</span>
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {channels.cancelBulk}
          </button>
        </div>
      ) : null}
      {asking ? (
        <CancelDialog
          channel={channel}
          onClose={() => setAsking(false)}
          onCancelled={(count) => {
            setAsking(false);
            setCancelled(count);
          }}
        />
      ) : null}
    </>
  );
}

interface CancelProps {
  readonly channel: PanelChannel;
  readonly onClose: () => void;
  readonly onCancelled: (count: number) => void;
}

/** Some hundred messages a call; where one is refused, another press goes on. */
function CancelDialog({ channel: { id, label }, onClose, onCancelled }: CancelProps) {
  const [done, setDone] = useState<number | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [busy, setBusy] = useState(false);
  const cancelAll = async () => {
    setBusy(true);
    setRefused(null);
    const outcome = await cancelUntilNone(id, (count) => setDone(count));
    setBusy(false);
    changed('channel', id);
    if (typeof outcome === 'number') onCancelled(outcome);
    else setRefused(outcome);
  };
  return (
    <FormDialog
      title={channels.cancelBulk}
      asks
      confirm={channels.confirmCancelBulk}
      busy={busy}
      onConfirm={() => void cancelAll()}
      onClose={onClose}
    >
      <p>{channels.cancelBulkOf(isolated(label))}</p>
      <p role="status" class="soft">
        {done === null ? '' : channels.cancelled(done)}
      </p>
      <Alert refused={refused} />
    </FormDialog>
  );
}

/** How many were cancelled, or the refusal. */
async function cancelUntilNone(
  channelId: string,
  onSome: (count: number) => void,
): Promise<number | Refused> {
  const path = `${CHANNELS_PATH}/${channelId}/cancel-bulk`;
  let before: number | null = null;
  for (let count = 0; ; ) {
    const outcome: Awaited<ReturnType<typeof call<Data<CancelledBulk>>>> = await call(
      'POST',
      path,
      {
        body: { before },
      },
    );
    if (!outcome.ok) return outcome.refused;
    const some: CancelledBulk = outcome.body.data;
    count += some.cancelled;
    if (!some.more) return count;
    onSome(count);
    before = some.before;
  }
}
