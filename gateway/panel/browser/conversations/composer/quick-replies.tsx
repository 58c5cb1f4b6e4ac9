/** Texts that the team keeps for answers. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog, FormDialog } from '../../base/dialog.tsx';
import { errorAt, errorBeside } from '../../base/field-errors.ts';
import { Icon } from '../../base/icon.tsx';
import { Isolated, isolated } from '../../base/isolated.tsx';
import { Menu } from '../../base/menu.tsx';
import { Alert, Field } from '../../base/parts.tsx';
import { useChange } from '../../base/use-change.ts';
import { useRead } from '../../base/use-read.ts';
import { TEXT } from '../../sentences.ts';
import type { Data, PanelConversation } from '../state/api.ts';
import { fill, type QuickReply } from '../state/quick-replies.ts';
import { tell } from '../state/told.ts';
import { ICONS } from './tools.tsx';

const PATH = '/panel/api/quick-replies';
const TITLE_MAX_CHARS = 60;
const { composer } = TEXT;

export interface QuickReplies {
  readonly replies: readonly QuickReply[];
  readonly open: 'keep' | 'remove' | null;
  readonly setOpen: (open: 'keep' | 'remove' | null) => void;
}

export function useQuickReplies(): QuickReplies {
  const { body } = useRead<Data<readonly QuickReply[]>>(PATH, { kinds: ['organization'] });
  const [open, setOpen] = useState<QuickReplies['open']>(null);
  return { replies: body?.data ?? [], open, setOpen };
}

/**
 * Gives the reply's text with its variables filled in. One whose template cannot be read comes as it
 * stands: it is not lost, and says so.
 */
export function useInsertion(
  conversation: PanelConversation,
  onText: (text: string) => void,
): (reply: QuickReply) => void {
  const shown = useRef(true);
  const give = useRef(onText);
  give.current = onText;
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return ({ text }) => {
    const filling = fill(text, conversation);
    if (filling === null) return onText(text);
    void filling.then((filled) => {
      if (!shown.current) return;
      if ('refused' in filled) return tell(filled.refused.sentence);
      if ('failed' in filled) tell(composer.unfilledQuickReply);
      give.current('text' in filled ? filled.text : text);
    });
  };
}

interface MenuProps {
  readonly quickReplies: QuickReplies;
  readonly text: string;
  readonly onChosen: (reply: QuickReply) => void;
}

export function QuickRepliesMenu({ quickReplies, text, onChosen }: MenuProps) {
  const { replies, setOpen } = quickReplies;
  const items = replies.map((reply) => ({
    key: reply.id,
    text: isolated(reply.title),
    choose: () => onChosen(reply),
  }));
  const keepItem = {
    key: 'keep',
    text: composer.keepQuickReply,
    choose: () => setOpen('keep'),
  };
  const removeItem = {
    key: 'remove',
    text: composer.removeQuickReplies,
    choose: () => setOpen('remove'),
  };
  return (
    <Menu
      label={composer.quickReplies}
      drawn={<Icon path={ICONS.quickReplies} />}
      class="button quiet tool"
      items={[
        ...items,
        ...(text.trim() === '' ? [] : [keepItem]),
        ...(replies.length === 0 ? [] : [removeItem]),
      ]}
      empty={<p class="empty">{composer.noQuickReplies}</p>}
    />
  );
}

interface DialogsProps {
  readonly quickReplies: QuickReplies;
  readonly text: string;
}

/** Their place is outside of the composer's form: a form has no form in it. */
export function QuickReplyDialogs({ quickReplies, text }: DialogsProps) {
  const { open, replies, setOpen } = quickReplies;
  const close = () => setOpen(null);
  if (open === 'keep') return <KeepDialog text={text} onClose={close} />;
  return open === 'remove' ? <RemoveDialog replies={replies} onClose={close} /> : null;
}

interface KeepDialogProps {
  readonly text: string;
  readonly onClose: () => void;
}

function KeepDialog({ text, onClose }: KeepDialogProps) {
  const [title, setTitle] = useState('');
  const { busy, refused, make } = useChange('organization');
  const save = async () => {
    if (await make(PATH, { body: { title, text } })) onClose();
  };
  return (
    <FormDialog
      title={composer.keepQuickReply}
      confirm={TEXT.save}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <Field
        label={composer.quickReplyTitle}
        value={title}
        onValue={setTitle}
        maxLength={TITLE_MAX_CHARS}
        error={errorAt(refused, 'title')}
        required
      />
      <p class="soft bubble-text">{text}</p>
      <p class="small soft">{composer.quickReplyHint}</p>
      <Alert refused={errorBeside(refused, ['title'])} />
    </FormDialog>
  );
}

interface RemoveDialogProps extends Pick<QuickReplies, 'replies'> {
  readonly onClose: () => void;
}

function RemoveDialog({ replies, onClose }: RemoveDialogProps) {
  const { busy, refused, make } = useChange('organization');
  return (
    <Dialog title={composer.removeQuickReplies} onClose={onClose}>
      {replies.length === 0 ? <p class="soft">{composer.noQuickReplies}</p> : null}
      <ul class="form">
        {replies.map(({ id, title }) => (
          <li key={id} class="row">
            <span class="grow cut">
              <Isolated text={title} />
            </span>
            <button
              type="button"
              class="button small"
              aria-disabled={busy}
              aria-label={composer.removeQuickReply(isolated(title))}
              onClick={() => void make(`${PATH}/${encodeURIComponent(id)}/remove`)}
            >
              {composer.remove}
            </button>
          </li>
        ))}
      </ul>
      <Alert refused={refused} />
    </Dialog>
  );
}
