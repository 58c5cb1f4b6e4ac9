/** Texts that the team keeps for answers. */
import { useState } from 'preact/hooks';
import { call, type Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { Menu } from '../base/menu.tsx';
import { Alert, Field } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { TEXT } from '../sentences.ts';
import type { Data } from './api.ts';

const PATH = '/panel/api/quick-replies';
const TITLE_MAX_CHARS = 60;
const { composer } = TEXT;

interface QuickReply {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface QuickRepliesProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function QuickReplies({ text, onText }: QuickRepliesProps) {
  const { body, again } = useRead<Data<readonly QuickReply[]>>(PATH, { kinds: ['organization'] });
  const [keeping, setKeeping] = useState(false);
  const replies = (body?.data ?? []).map((reply) => ({
    key: reply.id,
    text: reply.title,
    choose: () => onText(text === '' ? reply.text : `${text} ${reply.text}`),
  }));
  const keepItem = {
    key: 'keep',
    text: composer.keepQuickReply,
    choose: () => setKeeping(true),
  };
  return (
    <>
      <Menu
        label={composer.quickReplies}
        class="button quiet"
        items={text.trim() === '' ? replies : [...replies, keepItem]}
        empty={<p class="empty">{composer.noQuickReplies}</p>}
      />
      {keeping ? (
        <KeepDialog
          text={text}
          onClose={() => setKeeping(false)}
          onKept={() => {
            setKeeping(false);
            again();
          }}
        />
      ) : null}
    </>
  );
}

interface KeepDialogProps {
  readonly text: string;
  readonly onClose: () => void;
  readonly onKept: () => void;
}

function KeepDialog({ text, onClose, onKept }: KeepDialogProps) {
  const [title, setTitle] = useState('');
  const [refused, setRefused] = useState<Refused | null>(null);
  const save = async () => {
    const outcome = await call('POST', PATH, { body: { title, text } });
    if (outcome.ok) onKept();
    else setRefused(outcome.refused);
  };
  return (
    <FormDialog
      title={composer.keepQuickReply}
      confirm={TEXT.save}
      busy={false}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <Field
        label={composer.quickReplyTitle}
        value={title}
        onValue={setTitle}
        maxLength={TITLE_MAX_CHARS}
        required
      />
      <p class="soft bubble-text">{text}</p>
      <Alert refused={refused} />
    </FormDialog>
  );
}
