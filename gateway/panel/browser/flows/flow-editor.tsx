/**
 * The flow's text: a refused one stays in the editor, with its problems at their lines. A draft
 * is kept until it is published or cancelled.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FlowProblem } from '../../../../shared/panel/flow-text.ts';
import { call, type Refused } from '../base/call.ts';
import { keep, kept } from '../base/kept.ts';
import { Alert } from '../base/parts.tsx';
import { Translated } from '../base/translated.tsx';
import { useChange } from '../base/use-change.ts';
import { TEXT } from '../sentences.ts';
import { draftPrefix } from '../session.ts';
import { type FlowWithText, flowPath } from './api.ts';
import { lineStart, problemsOf, sentenceOf } from './problems.ts';

const { flows } = TEXT;

interface FlowEditorProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** The published text, or the draft that was left. */
function useText(id: string) {
  const [text, setText] = useState<string | null>(null);
  const [isDraft, setIsDraft] = useState(false);
  const [unread, setUnread] = useState<Refused | null>(null);
  const name = `${draftPrefix()}flow:${id}`;
  const read = async () => {
    const outcome = await call<FlowWithText>('GET', flowPath(id));
    setUnread(outcome.ok ? null : outcome.refused);
    if (!outcome.ok) return;
    const { yaml } = outcome.body.data;
    const draft = kept(name);
    setIsDraft(draft !== '' && draft !== yaml);
    setText(draft === '' ? yaml : draft);
  };
  useEffect(() => void read(), []);
  const write = (written: string) => {
    setText(written);
    keep(name, written);
  };
  return { text, isDraft, unread, read, write, forget: () => keep(name, '') };
}

export function FlowEditor({ id, onClose }: FlowEditorProps) {
  const { text, isDraft, unread, read, write, forget } = useText(id);
  const { busy, refused, make } = useChange('organization');
  const close = () => {
    forget();
    onClose();
  };
  const publish = async () => {
    const done = await make(`${flowPath(id)}/publish`, { body: { yaml: text } });
    if (done) close();
  };
  if (text === null) {
    return unread ? <Alert refused={unread} onAgain={() => void read()} /> : <p>{TEXT.loading}</p>;
  }
  const problems = problemsOf(refused);
  return (
    <section class="block" aria-label={flows.textOf}>
      {isDraft ? (
        <p class="notice" role="status">
          {flows.draft}
        </p>
      ) : null}
      <Editor text={text} onText={write} problems={problems} />
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
    </section>
  );
}

interface EditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly problems: readonly FlowProblem[];
}

function Editor({ text, onText, problems }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = text.split('\n');
  const goTo = (line: number) => {
    const at = lineStart(text, line);
    area.current?.focus();
    area.current?.setSelectionRange(at, at + (lines[line - 1]?.length ?? 0));
  };
  return (
    <>
      <Problems problems={problems} onLine={goTo} />
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
        {problems.map(({ path, line, ...problem }) => (
          <li key={`${path} ${line}`}>
            {line === null ? null : (
              <button type="button" class="button small" onClick={() => onLine(line)}>
                {flows.line(line)}
              </button>
            )}{' '}
            <Translated text={problem.message} by={() => sentenceOf(problem)} />
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
