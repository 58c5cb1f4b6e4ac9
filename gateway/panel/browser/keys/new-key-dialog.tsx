/** A new key: its token is shown in the answer, and never again. */
import { useState } from 'preact/hooks';
import { ACCESS_DEFAULT, ACCESSES, type Access } from '../../../../shared/vocabulary.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside } from '../base/field-errors.ts';
import { Alert, Check, Field, Select } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import type { Data } from '../conversations/state/api.ts';
import { endOfDay } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { ShownOnce } from './shown-once.tsx';

const NAME_MAX_CHARS = 120;
const { keys } = TEXT;
const ACCESS_OPTIONS = ACCESSES.map((access) => [access, keys.accesses[access]] as const);

interface MadeKey {
  readonly id: string;
  readonly token: string;
}

interface NewKeyDialogProps {
  /** Of which the key may be; the only one is not asked for. */
  readonly channels: readonly (readonly [id: string, label: string])[];
  /** The key may be of the whole organization too. */
  readonly ofAccount: boolean;
  readonly curl: (token: string, channelId: string, access: Access) => string;
  readonly onClose: () => void;
}

export function NewKeyDialog({ channels, ofAccount, curl, onClose }: NewKeyDialogProps) {
  const [name, setName] = useState('');
  const [channelId, setChannelId] = useState(ofAccount ? '' : (channels[0]?.[0] ?? ''));
  const [terms, setTerms] = useState<Terms>(USUAL_TERMS);
  const [made, setMade] = useState<MadeKey | null>(null);
  const { busy, refused, make } = useChange('organization');
  const create = async () => {
    const path =
      channelId === ''
        ? '/panel/api/keys'
        : `/panel/api/channels/${encodeURIComponent(channelId)}/keys`;
    const body = { name, ...(channelId === '' ? { scope: 'account' } : {}), ...asked(terms) };
    const answer = await make<Data<MadeKey>>(path, { body });
    if (answer) setMade(answer.data);
  };
  if (made) {
    const { token: secret } = made;
    const text = { title: keys.created, lead: keys.once, label: keys.token };
    return (
      <ShownOnce
        once={{ ...text, secret, curl: curl(secret, channelId, terms.access) }}
        onClose={onClose}
      />
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
      <Field
        label={keys.name}
        value={name}
        onValue={setName}
        maxLength={NAME_MAX_CHARS}
        error={errorAt(refused, 'name')}
        required
      />
      {ofAccount ? (
        <Select
          label={keys.scope}
          value={channelId}
          onValue={setChannelId}
          options={[['', keys.account], ...channels]}
        />
      ) : null}
      <TermsFields terms={terms} onTerms={setTerms} />
      <Alert refused={errorBeside(refused, ['name'])} />
    </FormDialog>
  );
}

/** What the key may do, until when, and for whom. */
interface Terms {
  readonly access: Access;
  /** `YYYY-MM-DD`, the last day; empty for a key that lasts. */
  readonly lastDay: string;
  readonly assistant: boolean;
}

const USUAL_TERMS: Terms = { access: ACCESS_DEFAULT, lastDay: '', assistant: false };

function asked({ access, lastDay, assistant }: Terms) {
  return { access, assistant, ...(lastDay === '' ? {} : { expiresAt: endOfDay(lastDay) }) };
}

interface TermsFieldsProps {
  readonly terms: Terms;
  readonly onTerms: (terms: Terms) => void;
}

function TermsFields({ terms, onTerms }: TermsFieldsProps) {
  const { access, lastDay, assistant } = terms;
  return (
    <>
      <Select
        label={keys.access}
        value={access}
        onValue={(value) => {
          const chosen = ACCESSES.find((each) => each === value);
          if (chosen) onTerms({ ...terms, access: chosen });
        }}
        options={ACCESS_OPTIONS}
      />
      <Field
        label={keys.expires}
        type="date"
        value={lastDay}
        onValue={(day) => onTerms({ ...terms, lastDay: day })}
      />
      <Check
        text={keys.assistant}
        checked={assistant}
        onChecked={(checked) => onTerms({ ...terms, assistant: checked })}
      />
    </>
  );
}
