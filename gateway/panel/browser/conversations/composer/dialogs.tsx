/** Dialogs of the composer, fetched when the first one is opened. */
import type { QuickReply } from '../state/quick-replies.ts';
import type { TemplateDraft } from '../state/template-values.ts';
import { KeepDialog, RemoveDialog } from './quick-reply-dialogs.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { TemplateDialog } from './template-dialog.tsx';

export type DialogName = 'template' | 'schedule' | 'keep' | 'remove';

interface ComposerDialogProps {
  readonly name: DialogName;
  readonly channelId: string;
  readonly replies: readonly QuickReply[];
  readonly text: string;
  readonly onClose: () => void;
  readonly onTemplate: (template: TemplateDraft, read: string) => void;
  readonly onTime: (sendAt: string) => void;
}

export function ComposerDialog(props: ComposerDialogProps) {
  const { name, channelId, replies, text, onClose, onTemplate, onTime } = props;
  switch (name) {
    case 'template':
      return <TemplateDialog channelId={channelId} onClose={onClose} onSend={onTemplate} />;
    case 'schedule':
      return <ScheduleDialog onClose={onClose} onChosen={onTime} />;
    case 'keep':
      return <KeepDialog text={text} onClose={onClose} />;
    case 'remove':
      return <RemoveDialog replies={replies} onClose={onClose} />;
  }
}
