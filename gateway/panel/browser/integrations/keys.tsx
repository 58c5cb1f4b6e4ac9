/** Keys of the organization and of its channels: prefix and last use, never the token. */

import { useId, useRef, useState } from 'preact/hooks';
import type { KeyRow } from '../../../../shared/provisioning/commands.ts';
import type { Access } from '../../../../shared/vocabulary.ts';
import { FormDialog } from '../base/dialog.tsx';
import { isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { useFocusSuccessor } from '../base/use-focus-successor.ts';
import { useRead } from '../base/use-read.ts';
import type { PanelChannel } from '../channels/api.ts';
import type { Data } from '../conversations/state/api.ts';
import { whenInSentence } from '../format.ts';
import { channelKeyCurl, keyCurl } from '../keys/curl.ts';
import { NewKeyDialog } from '../keys/new-key-dialog.tsx';
import { termsInSentence } from '../keys/terms.ts';
import { TEXT } from '../sentences.ts';

const { integrations, keys } = TEXT;

/** Keys, and the address at which they are used. */
interface KeyList extends Data<readonly KeyRow[]> {
  readonly apiUrl: string;
}

interface KeysProps {
  readonly channels: readonly PanelChannel[];
}

export function Keys({ channels }: KeysProps) {
  const read = useRead<KeyList>('/panel/api/keys', { kinds: ['organization'] });
  const [creating, setCreating] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const all = (read.body?.data ?? []).toReversed();
  const live = all.filter(({ revokedAt }) => revokedAt === null);
  const rows = showsAll ? all : live;
  return (
    <section class="block">
      <header class="row">
        <h2 class="grow">{integrations.keys}</h2>
        <button type="button" class="button" onClick={() => setCreating(true)}>
          {keys.create}
        </button>
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{integrations.noKeys}</p> : null}
      <ul class="lines" aria-label={integrations.keys}>
        {rows.map((row) => (
          <KeyLine key={row.id} row={row} channels={channels} />
        ))}
      </ul>
      {all.length > live.length ? (
        <button
          type="button"
          class="button quiet"
          aria-pressed={showsAll}
          onClick={() => setShowsAll(!showsAll)}
        >
          {integrations.showRevoked(all.length - live.length)}
        </button>
      ) : null}
      {creating && read.body ? (
        <CreateKey
          channels={channels}
          apiUrl={read.body.apiUrl}
          onClose={() => setCreating(false)}
        />
      ) : null}
    </section>
  );
}

interface CreateKeyProps extends KeysProps {
  readonly apiUrl: string;
  readonly onClose: () => void;
}

function CreateKey({ channels, apiUrl, onClose }: CreateKeyProps) {
  const curl = (token: string, channelId: string, access: Access) => {
    const channel = channels.find(({ id }) => id === channelId);
    return channel?.inboundWebhookUrl === undefined
      ? keyCurl(apiUrl, token)
      : channelKeyCurl(channel.inboundWebhookUrl, token, access);
  };
  return (
    <NewKeyDialog
      ofAccount
      channels={channels.map(({ id, label }) => [id, label] as const)}
      curl={curl}
      onClose={onClose}
    />
  );
}

function KeyLine({ row, channels }: KeysProps & { readonly row: KeyRow }) {
  const { name, channelId, prefix, lastUsedAt, revokedAt } = row;
  const [revoking, setRevoking] = useState(false);
  const id = useId();
  const item = useRef<HTMLLIElement>(null);
  useFocusSuccessor(item, 'section');
  const label = channels.find((channel) => channel.id === channelId)?.label ?? channelId;
  return (
    <li ref={item}>
      <div class="grow">
        <p class={revokedAt === null ? 'strong' : 'done-text'} id={id}>
          {name}
        </p>
        <p class="soft small">
          <code>{prefix}…</code>{' '}
          {label === null ? integrations.ofAccount : integrations.ofChannel(isolated(label))} ·{' '}
          {termsInSentence(row)} ·{' '}
          {lastUsedAt === null ? keys.neverUsed : keys.lastUsed(whenInSentence(lastUsedAt))}
        </p>
      </div>
      {revokedAt === null ? (
        <button
          type="button"
          class="button"
          aria-describedby={id}
          onClick={() => setRevoking(true)}
        >
          {integrations.revoke}
        </button>
      ) : (
        <span class="soft">{integrations.revokedAt(whenInSentence(revokedAt))}</span>
      )}
      {revoking ? <RevokeDialog row={row} onClose={() => setRevoking(false)} /> : null}
    </li>
  );
}

function RevokeDialog({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const { busy, refused, make } = useChange('organization');
  const revoke = async () => {
    if (await make(`/panel/api/keys/${encodeURIComponent(row.id)}/revoke`)) onClose();
  };
  return (
    <FormDialog
      title={integrations.revokeTitle(isolated(row.name))}
      confirm={integrations.revoke}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void revoke()}
    >
      <p>{integrations.revokeText}</p>
      <Alert refused={refused} />
    </FormDialog>
  );
}
