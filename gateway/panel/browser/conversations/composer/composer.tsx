/** Composer: message or note, files, quick replies, and drafts that survive a reload. */
import type { ComponentChildren, Ref } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call } from '../../base/call.ts';
import { Missing } from '../../base/parts.tsx';
import { storeText } from '../../base/text-storage.ts';
import { useLater } from '../../base/use-later.ts';
import { after } from '../../clock.ts';
import { TEXT } from '../../sentences.ts';
import { mayWrite } from '../../session.ts';
import { Replying } from '../acts/quote.tsx';
import { conversationPath, type PanelConversation } from '../state/api.ts';
import type { AttachedFile } from '../state/attached-files.ts';
import { draftName, textOf } from '../state/drafts.ts';
import { PENDING_MAX, sendInOrder } from '../state/pending.ts';
import type { Draft } from '../state/pending-storage.ts';
import { cancelReply, quotedIn } from '../state/replying.ts';
import { Attachments, useAttachments } from './attachments.tsx';
import type { DialogName } from './dialogs.tsx';
import { EmojiTool } from './emoji-tool.tsx';
import { QuickRepliesMenu, useInsertion, useQuickReplies } from './quick-replies.tsx';
import { attributesOf, type Slash, SlashList, useSlash } from './slash-replies.tsx';
import { ICONS, Tool, Tools } from './tools.tsx';
import { useRecording, VoiceLine, VoiceTool } from './voice.tsx';

const TYPING_PAUSE_MS = 3_000;
const { composer } = TEXT;

interface ComposerProps {
  readonly conversation: PanelConversation;
  /** Of the 24-hour window. */
  readonly outside: boolean;
  readonly note: boolean;
  readonly onNote: (note: boolean) => void;
}

export function Composer(props: ComposerProps) {
  if (!mayWrite()) return <p class="composer soft">{composer.readOnly}</p>;
  return <Writing {...props} />;
}

function Writing({ conversation, outside, note, onNote }: ComposerProps) {
  const { text, write } = useText(conversation.id, note);
  const attached = useAttachments(conversation.id);
  const recording = useRecording(conversation.id);
  const announce = useAnnounce(conversation.id);
  const replies = useQuickReplies();
  const box = useRef<HTMLTextAreaElement>(null);
  const [early, setEarly] = useState(false);
  const dialog = useDialog();
  const files = attached.list.value;
  const isUploading = files.some(({ mediaId }) => mediaId === null);
  const isEmpty = text.trim() === '' && files.length === 0;
  const { channel } = conversation;
  const { post, tooMany } = usePost(conversation);
  const submit = (later: Pick<Draft, 'sendAt'> = {}) => {
    setEarly(isUploading);
    if (recording.holds() || isUploading || isEmpty || (note && files.length > 0)) return;
    const quoted = note ? null : quotedIn(conversation.id);
    const reply = quoted === null ? {} : { replyToId: quoted.id };
    const [first, ...others] = givenFiles(files);
    const message = { note, text: text.trim(), file: first ?? null, ...reply, ...later };
    const rest = others.map((file) => ({ note, text: '', file, ...later }));
    if (!post([message, ...rest])) return;
    if (quoted !== null) cancelReply();
    write('');
    attached.clear();
  };
  const onText = (written: string) => {
    write(written);
    if (!note && written !== '') announce();
  };
  const onFiles = (given: Iterable<File>) => attached.take(given);
  const give = (chosen: string) => {
    onText(chosen);
    box.current?.focus();
  };
  // Behind what is written; what asked for the list with "/" gives way.
  const append = useInsertion(conversation, (chosen) =>
    give(text === '' ? chosen : `${text} ${chosen}`),
  );
  const replace = useInsertion(conversation, give);
  const slash = useSlash({ text, replies, onChosen: replace });
  return (
    <>
      <DropForm noting={note} onSubmit={() => submit()} onFiles={onFiles}>
        <Warnings outside={outside} note={note} withFile={files.length > 0} />
        {tooMany ? <p class="warning">{composer.tooMany(PENDING_MAX)}</p> : null}
        {note ? null : <Replying conversationId={conversation.id} />}
        <Attachments
          attached={attached}
          early={early && isUploading}
          onEmpty={() => box.current?.focus()}
        />
        <VoiceLine recording={recording} onDiscarded={() => box.current?.focus()} />
        <SlashList slash={slash} />
        <MessageBox {...{ box, text, note, slash, onText, onFiles }} onSubmit={() => submit()} />
        <Tools {...{ note, onNote, onFiles }}>
          <EmojiTool box={box} onText={onText} />
          {note ? null : (
            <VoiceTool recording={recording} onFile={(file) => attached.take([file])} />
          )}
          <QuickRepliesMenu {...{ replies, text }} onChosen={append} onOpen={dialog.onOpen} />
          <OtherWays {...{ note, channel }} empty={isEmpty} onOpen={dialog.onOpen} />
        </Tools>
      </DropForm>
      {/* Outside of the form: a form has no form in it. */}
      <Missing failed={dialog.failed} />
      {dialog.Part && dialog.name ? (
        <dialog.Part
          {...{ name: dialog.name, channelId: channel.id, replies, text }}
          onClose={dialog.onClose}
          onTemplate={(template, read) => post([{ note: false, text: read, file: null, template }])}
          onTime={(sendAt) => submit({ sendAt })}
        />
      ) : null}
    </>
  );
}

function givenFiles(files: readonly AttachedFile[]) {
  return files.flatMap(({ name, mediaId }) => (mediaId === null ? [] : [{ mediaId, name }]));
}

/** Posts drafts of the conversation, in their order; `tooMany`: the last ones were not taken. */
function usePost({ id: conversationId, channel }: PanelConversation) {
  const [tooMany, setTooMany] = useState(false);
  const post = (drafts: readonly Omit<Draft, 'conversationId' | 'channelId'>[]): boolean => {
    const of = { conversationId, channelId: channel.id };
    const taken = sendInOrder(drafts.map((draft) => ({ ...of, ...draft })));
    setTooMany(!taken);
    return taken;
  };
  return { post, tooMany };
}

/** Which dialog is open; its script is fetched at the first use. */
function useDialog() {
  const [name, setName] = useState<DialogName | null>(null);
  const { Part, failed, open } = useLater(
    async () => (await import('./dialogs.tsx')).ComposerDialog,
  );
  const onOpen = (opened: DialogName) => {
    setName(opened);
    open();
  };
  return { name, Part, failed, onOpen, onClose: () => setName(null) };
}

/** The draft of the conversation, as message or as note. */
function useText(conversationId: string, note: boolean) {
  const name = draftName(conversationId, note);
  const [written, setWritten] = useState({ name: '', text: '' });
  const write = (text: string) => {
    setWritten({ name, text });
    storeText(name, text);
  };
  return { text: textOf(written, name), write };
}

interface DropFormProps {
  readonly noting: boolean;
  readonly onSubmit: () => void;
  readonly onFiles: (files: Iterable<File>) => void;
  readonly children: ComponentChildren;
}

/** Files that are dropped anywhere on it are attached. */
function DropForm({ noting, onSubmit, onFiles, children }: DropFormProps) {
  const [dropping, setDropping] = useState(false);
  return (
    <form
      class={`composer ${noting ? 'noting' : ''} ${dropping ? 'dropping' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        onFiles(event.dataTransfer?.files ?? []);
      }}
    >
      {children}
    </form>
  );
}

interface WarningsProps extends Pick<ComposerProps, 'outside' | 'note'> {
  readonly withFile: boolean;
}

function Warnings({ outside, note, withFile }: WarningsProps) {
  if (note) return withFile ? <p class="warning">{composer.noteWithFile}</p> : null;
  return outside ? <p class="warning">{TEXT.window.closed}</p> : null;
}

interface MessageBoxProps {
  readonly box: Ref<HTMLTextAreaElement>;
  readonly text: string;
  readonly note: boolean;
  readonly slash: Slash;
  readonly onText: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onFiles: (files: Iterable<File>) => void;
}

function MessageBox(props: MessageBoxProps) {
  const { box, text, note, slash, onText, onSubmit, onFiles } = props;
  return (
    <textarea
      ref={box}
      class="input"
      rows={2}
      aria-label={composer.message}
      placeholder={note ? composer.noteHint : composer.messageHint}
      value={text}
      data-composer
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      {...attributesOf(slash)}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        const isOfList = slash.onKey(event);
        if (!isOfList && (event.key !== 'Enter' || event.shiftKey)) return;
        event.preventDefault();
        // Escape of an open list leaves the box where it is.
        if (isOfList) event.stopPropagation();
        else onSubmit();
      }}
      onPaste={(event) => {
        if ((event.clipboardData?.files.length ?? 0) === 0) return;
        event.preventDefault();
        onFiles(event.clipboardData?.files ?? []);
      }}
    />
  );
}

interface OtherWaysProps {
  readonly note: boolean;
  readonly channel: PanelConversation['channel'];
  /** Nothing is written that could be scheduled. */
  readonly empty: boolean;
  readonly onOpen: (dialog: DialogName) => void;
}

/** Other ways to send what stands in the box, or something in place of it. */
function OtherWays({ note, channel, empty, onOpen }: OtherWaysProps) {
  if (note) return null;
  return (
    <>
      {channel.provider === 'cloud' ? (
        <Tool
          label={TEXT.templates.open}
          icon={ICONS.templates}
          onClick={() => onOpen('template')}
        />
      ) : null}
      <Tool
        label={TEXT.schedule.open}
        icon={ICONS.schedule}
        disabled={empty}
        onClick={() => onOpen('schedule')}
      />
    </>
  );
}

/** Tells other members who is writing, once in a while. */
function useAnnounce(conversationId: string): () => void {
  const paused = useRef(false);
  return () => {
    if (paused.current) return;
    paused.current = true;
    after(TYPING_PAUSE_MS, () => {
      paused.current = false;
    });
    void call('POST', `${conversationPath(conversationId)}/typing`);
  };
}
