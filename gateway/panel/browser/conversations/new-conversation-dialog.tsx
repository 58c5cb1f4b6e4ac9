/**
 * The first message to somebody: a text, or an approved template where the 24-hour window is shut.
 * One call makes contact and conversation; its repeat sends no second message.
 */
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { Channel } from '../../../../shared/api/channel.ts';
import type { Template } from '../../../../shared/api/template.ts';
import { call, query, type Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside, wrongAt } from '../base/field-errors.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert, Select } from '../base/parts.tsx';
import { go } from '../base/router.ts';
import { useRead } from '../base/use-read.ts';
import { useFocusIfWrong, WrongValue, wrongValueOf } from '../base/wrong-value.tsx';
import { freshId } from '../clock.ts';
import { changed } from '../live.ts';
import {
  ContactBox,
  type Found,
  NOBODY,
  recipientFrom,
  recipientOf,
} from '../people/contact-box.tsx';
import { TEXT } from '../sentences.ts';
import { useAttachments } from './composer/attachments.tsx';
import { HeaderFile, VariableFields } from './composer/template-dialog.tsx';
import type { Data, Page, PanelConversation } from './state/api.ts';
import { windowLeftMs } from './state/service-window.ts';
import {
  NO_VALUES,
  pathsIn,
  previewOf,
  takesFile,
  templateDraft,
  type WrittenValues,
} from './state/template-values.ts';

const { newConversation: words } = TEXT;
const SHOWN_MAX = 200;
const TEXT_MAX_CHARS = 4_096;
/** Their problems stand beside them. */
const BESIDE = ['phone', 'channelId'];

export interface NewConversationDialogProps {
  /** Null: whoever is chosen. */
  readonly contact: Found | null;
  readonly onClose: () => void;
}

export function NewConversationDialog({ contact, onClose }: NewConversationDialogProps) {
  const [recipient, setRecipient] = useState(contact ? recipientFrom(contact) : NOBODY);
  const [chosenId, setChannelId] = useState('');
  const channels = useRead<Data<readonly Channel[]>>('/api/v1/channels', { kinds: ['channel'] });
  const known = channels.body?.data ?? [];
  const channel = known.find(({ id }) => id === chosenId) ?? known[0];
  const isOutside = useOutside(channel, recipient.contact);
  const templates = useTemplates(isOutside ? channel : undefined);
  const [chosenTemplate, setTemplate] = useState('');
  const template = templates.find(({ id }) => id === chosenTemplate);
  const [written, setWritten] = useState<WrittenValues>(NO_VALUES);
  const [text, setText] = useState('');
  const attached = useAttachments(chosenTemplate, 1);
  const { busy, refused, start } = useStart(onClose);
  const mediaId = attached.list.value[0]?.mediaId ?? null;
  const confirm = () =>
    start({
      phone: recipientOf(recipient)?.phone ?? null,
      channelId: channel?.id ?? null,
      content: template
        ? { template: templateDraft(template, written, mediaId) }
        : { text: text.trim() },
    });
  return (
    <FormDialog
      title={words.title}
      confirm={words.confirm}
      busy={busy || channels.body === null}
      onClose={onClose}
      onConfirm={() => void confirm()}
    >
      <ContactBox
        recipient={recipient}
        onRecipient={setRecipient}
        error={errorAt(refused, 'phone')}
      />
      <Select
        label={words.channel}
        error={errorAt(refused, 'channelId')}
        value={channel?.id ?? ''}
        onValue={setChannelId}
        options={known.map(({ id, label }) => [id, isolated(label)] as const)}
      />
      {isOutside ? (
        <Select
          label={words.template}
          value={template?.id ?? ''}
          onValue={(id) => {
            setTemplate(id);
            setWritten(NO_VALUES);
          }}
          options={[
            ['', words.noTemplate],
            ...templates.map(({ id, name, language }) => [id, `${name} (${language})`] as const),
          ]}
        />
      ) : null}
      {template ? (
        <>
          {takesFile(template) ? <HeaderFile attached={attached} early={false} /> : null}
          <VariableFields
            labels={words.labels}
            template={template}
            written={written}
            onWritten={setWritten}
            refused={refused}
          />
          <Preview template={template} written={written} />
        </>
      ) : (
        <TextBox
          text={text}
          onText={setText}
          outside={isOutside}
          error={errorAt(refused, 'text')}
        />
      )}
      <Alert refused={channels.refused} onAgain={channels.again} />
      {channels.body && known.length === 0 ? <p class="warning">{words.noChannel}</p> : null}
      <Alert
        refused={errorBeside(refused, [...BESIDE, ...(template ? pathsIn(template) : ['text'])])}
      />
    </FormDialog>
  );
}

interface TextBoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly outside: boolean;
  readonly error: string | undefined;
}

function TextBox({ text, onText, outside, error }: TextBoxProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  useFocusIfWrong(box, error);
  return (
    <>
      <div class="field">
        <label for={id}>{words.text}</label>
        <textarea
          id={id}
          class="input"
          rows={3}
          maxLength={TEXT_MAX_CHARS}
          {...wrongValueOf({ id, error })}
          value={text}
          ref={box}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
        <WrongValue id={id} label={words.text} error={error} />
      </div>
      {outside ? <p class="warning">{TEXT.window.closed}</p> : null}
    </>
  );
}

interface PreviewProps {
  readonly template: Template;
  readonly written: WrittenValues;
}

function Preview({ template, written }: PreviewProps) {
  return (
    <div class="bubble out">
      <p class="small soft">{TEXT.templates.preview}</p>
      {previewOf(template, written).map((part) => (
        <p key={part} class="bubble-text">
          {part}
        </p>
      ))}
    </div>
  );
}

/** True where the channel has a window, and the contact has not written within it. */
function useOutside(channel: Channel | undefined, contact: Found | null): boolean {
  const isCloud = channel?.provider === 'cloud';
  const asked = isCloud && contact ? { contactId: contact.id, channelId: channel.id } : null;
  const path = asked && `/panel/api/conversations${query({ ...asked, page: 1, limit: 1 })}`;
  const { body } = useRead<Page<PanelConversation>>(path, { kinds: ['conversation'] });
  if (!isCloud) return false;
  const [conversation] = body?.data ?? [];
  return conversation === undefined || windowLeftMs(conversation) === 0;
}

function useTemplates(channel: Channel | undefined): readonly Template[] {
  const entries = { channelId: channel?.id, status: 'APPROVED', page: 1, limit: SHOWN_MAX };
  const path = channel ? `/api/v1/templates${query(entries)}` : null;
  const { body } = useRead<Page<Template>>(path, { kinds: ['channel'] });
  return channel ? (body?.data ?? []) : [];
}

interface Start {
  /** Null: nobody is chosen. */
  readonly phone: string | null;
  readonly channelId: string | null;
  readonly content: Readonly<Record<string, unknown>>;
}

interface Started {
  readonly conversationId: string;
}

function useStart(onClose: () => void) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  /** By what is sent: a further press for the same sends nothing more. */
  const keys = useMemo(() => new Map<string, string>(), []);
  const refuse = (path: string, sentence: string) => setRefused(wrongAt(path, sentence));
  const start = async ({ phone, channelId, content }: Start) => {
    if (phone === null) return refuse('phone', TEXT.recipient.nobody);
    if (channelId === null) return refuse('channelId', words.noChannel);
    if (content.text === '') return refuse('text', words.empty);
    const body = { channelId, phone, ...content };
    const id = JSON.stringify(body);
    const idempotencyKey = keys.get(id) ?? freshId();
    keys.set(id, idempotencyKey);
    setBusy(true);
    const path = '/api/v1/messages';
    const outcome = await call<Data<Started>>('POST', path, { body, idempotencyKey });
    setBusy(false);
    if (!outcome.ok) return setRefused(outcome.refused);
    const { conversationId } = outcome.body.data;
    changed('conversation', conversationId);
    onClose();
    go(`/conversas/${encodeURIComponent(conversationId)}`);
  };
  return { busy, refused, start };
}
