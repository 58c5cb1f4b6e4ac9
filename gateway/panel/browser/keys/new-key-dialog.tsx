/** A new key: its token is shown in the answer, and never again. */
import { useState } from 'preact/hooks';
import { FormDialog } from '../base/dialog.tsx';
import { Alert, Field, Select } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { ShownOnce } from './shown-once.tsx';

const NAME_MAX_CHARS = 120;
const { keys } = TEXT;

interface MadeKey {
  readonly id: string;
  readonly token: string;
}

interface NewKeyDialogProps {
  /** Of which the key may be; the only one is not asked for. */
  readonly channels: readonly (readonly [id: string, label: string])[];
  /** The key may be of the whole organization too. */
  readonly ofAccount: boolean;
  readonly curl: (token: string, channelId: string) => string;
  readonly onClose: () => void;
}

export function NewKeyDialog({ channels, ofAccount, curl, onClose }: NewKeyDialogProps) {
  const [name, setName] = useState('');
  const [channelId, setChannelId] = useState(ofAccount ? '' : (channels[0]?.[0] ?? ''));
  const [made, setMade] = useState<MadeKey | null>(null);
  const { busy, refused, make } = useChange('organization');
  const create = async () => {
    const path =
      channelId === ''
        ? '/panel/api/keys'
        : `/panel/api/channels/${encodeURIComponent(channelId)}/keys`;
    const body = channelId === '' ? { name, scope: 'account' } : { name };
    const answer = await make<Data<MadeKey>>(path, { body });
    if (answer) setMade(answer.data);
  };
  if (made) {
    const { token: secret } = made;
    const text = { title: keys.created, lead: keys.once, label: keys.token };
    return (
      <ShownOnce once={{ ...text, secret, curl: curl(secret, channelId) }} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      title={keys.create}
      confirm={keys.confirmCreate}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void create()}
    >
      <Field label={keys.name} value={name} onValue={setName} maxLength={NAME_MAX_CHARS} required />
      {ofAccount ? (
        <Select
          label={keys.scope}
          value={channelId}
          onValue={setChannelId}
          options={[['', keys.account], ...channels]}
        />
      ) : null}
      <Alert refused={refused} />
    </FormDialog>
  );
}
