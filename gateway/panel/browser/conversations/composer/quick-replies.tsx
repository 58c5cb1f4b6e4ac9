/** Texts that the team keeps for answers. */
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../base/icon.tsx';
import { isolated } from '../../base/isolated.tsx';
import { Menu } from '../../base/menu.tsx';
import { useRead } from '../../base/use-read.ts';
import { TEXT } from '../../sentences.ts';
import type { Data, PanelConversation } from '../state/api.ts';
import { fill, type QuickReply, REPLIES_PATH } from '../state/quick-replies.ts';
import { tell } from '../state/told.ts';
import { ICONS } from './tools.tsx';

const { composer } = TEXT;

/** Those of the organization. */
export function useQuickReplies(): readonly QuickReply[] {
  const { body } = useRead<Data<readonly QuickReply[]>>(REPLIES_PATH, { kinds: ['organization'] });
  return body?.data ?? [];
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
  readonly replies: readonly QuickReply[];
  readonly text: string;
  readonly onChosen: (reply: QuickReply) => void;
  readonly onOpen: (dialog: 'keep' | 'remove') => void;
}

export function QuickRepliesMenu({ replies, text, onChosen, onOpen }: MenuProps) {
  const items = replies.map((reply) => ({
    key: reply.id,
    text: isolated(reply.title),
    choose: () => onChosen(reply),
  }));
  const keepItem = {
    key: 'keep',
    text: composer.keepQuickReply,
    choose: () => onOpen('keep'),
  };
  const removeItem = {
    key: 'remove',
    text: composer.removeQuickReplies,
    choose: () => onOpen('remove'),
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
