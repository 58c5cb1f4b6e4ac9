/**
 * The flow's text: a refused one stays in the editor, with its problems at their lines. A draft
 * is kept until it is published or cancelled.
 */
import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FlowProblem } from '../../../../shared/panel/flow-text.ts';
import { call, type Refused } from '../base/call.ts';
import { Alert } from '../base/parts.tsx';
import { ProblemText } from '../base/problem-alert.tsx';
import { storedText, storeText } from '../base/text-storage.ts';
import { useChange } from '../base/use-change.ts';
import { TEXT } from '../sentences.ts';
import { draftPrefix } from '../session.ts';
import { type FlowWithText, flowPath } from './api.ts';
import { lineStart, problemsOf } from './problems.ts';

const { flows } = TEXT;

interface FlowEditorProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** A text, and the version of the published one from which it began. */
interface Draft {
  readonly text: string;
  readonly version: string;
}

/** The published text, or the draft that was left. */
function useDraft(id: string) {
  const [draft, setDraft] = useState<Draft | null>(null);
  const [isLeft, setIsLeft] = useState(false);
  const [unread, setUnread] = useState<Refused | null>(null);
  const name = `${draftPrefix()}flow:${id}`;
  const read = async () => {
    const outcome = await call<FlowWithText>('GET', flowPath(id));
    setUnread(outcome.ok ? null : outcome.refused);
    if (!outcome.ok) return;
    const { yaml, version } = outcome.body.data;
    const left: Draft | null = storedText(name) === '' ? null : JSON.parse(storedText(name));
    setIsLeft(left !== null && left.text !== yaml);
    setDraft(left ?? { text: yaml, version });
  };
  useEffect(() => void read(), []);
  const write = (text: string) => {
    const written = { text, version: draft?.version ?? '' };
    setDraft(written);
    storeText(name, JSON.stringify(written));
  };
  return { draft, isLeft, unread, read, write, forget: () => storeText(name, '') };
}

export function FlowEditor({ id, onClose }: FlowEditorProps) {
  const { draft, isLeft, unread, read, write, forget } = useDraft(id);
  const { busy, refused, make } = useChange('organization');
  const end = useRef<HTMLDivElement>(null);
  // A long text ends far below what is in sight, or far above.
  useLayoutEffect(() => {
    if (refused) end.current?.scrollIntoView({ block: 'nearest' });
  }, [refused]);
  const close = () => {
    forget();
    onClose();
  };
  const publish = async () => {
    if (!draft) return;
    const body = { yaml: draft.text, version: draft.version };
    if (await make(`${flowPath(id)}/publish`, { body })) close();
  };
  if (draft === null) {
    return unread ? <Alert refused={unread} onAgain={() => void read()} /> : <p>{TEXT.loading}</p>;
  }
  const problems = problemsOf(refused);
  return (
    <section class="block" aria-label={flows.textOf}>
      {isLeft ? (
        <p class="notice" role="status">
          {flows.draft}
        </p>
      ) : null}
      <Editor text={draft.text} onText={write} problems={problems} end={end}>
        {refused && problems.length === 0 ? <Alert refused={refused} /> : null}
        <div class="form-end">
          <button type="button" class="button" onClick={close}>
            {TEXT.cancel}
          </button>
          <button
            type="button"
            class="button main"
            aria-disabled={busy}
            onClick={() => void publish()}
          >
            {flows.publish}
          </button>
        </div>
      </Editor>
    </section>
  );
}

interface EditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly problems: readonly FlowProblem[];
  /** Problems and buttons, below the text. */
  readonly end: Ref<HTMLDivElement>;
  readonly children: ComponentChildren;
}

function Editor({ text, onText, problems, end, children }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = text.split('\n');
  const goTo = (line: number) => {
    const at = lineStart(text, line);
    area.current?.focus();
    area.current?.setSelectionRange(at, at + (lines[line - 1]?.length ?? 0));
  };
  return (
    <>
      <div class="editor">
        <Gutter count={lines.length} problems={problems} />
        <textarea
          ref={area}
          class="editor-text"
          aria-label={flows.textOf}
          aria-invalid={problems.length > 0}
          rows={lines.length + 1}
          wrap="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </div>
      <div class="block" ref={end}>
        <Problems problems={problems} onLine={goTo} />
        {children}
      </div>
    </>
  );
}

interface ProblemsProps {
  readonly problems: readonly FlowProblem[];
  readonly onLine: (line: number) => void;
}

function Problems({ problems, onLine }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div class="alert" role="alert">
      <p>{flows.refused}</p>
      <ul class="problems">
        {problems.map(({ path, line, problem }) => (
          <li key={`${path} ${line}`}>
            {line === null ? null : (
              <button type="button" class="button small" onClick={() => onLine(line)}>
                {flows.line(line)}
              </button>
            )}{' '}
            <ProblemText problem={problem} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Gutter({ count, problems }: { readonly count: number } & Pick<ProblemsProps, 'problems'>) {
  const marked = new Set(problems.map(({ line }) => line));
  return (
    <div class="gutter" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <span key={index} class={marked.has(index + 1) ? 'gutter-line marked' : 'gutter-line'}>
          {index + 1}
        </span>
      ))}
    </div>
  );
}
