/** An approved template of the channel: chosen, filled, read once more, and sent. */
import { useRef, useState } from 'preact/hooks';
import type { Template } from '../../../../../shared/api/template.ts';
import { query, type Refused } from '../../base/call.ts';
import { Dialog, FormDialog } from '../../base/dialog.tsx';
import { errorAt } from '../../base/field-errors.ts';
import { isolated } from '../../base/isolated.tsx';
import { Alert, Field } from '../../base/parts.tsx';
import { useRead } from '../../base/use-read.ts';
import { TEXT } from '../../sentences.ts';
import type { Page } from '../state/api.ts';
import {
  buttonsToFill,
  NO_VALUES,
  pathsOf,
  previewOf,
  type TemplateDraft,
  takesFile,
  takesHeaderText,
  templateDraft,
  type WrittenValues,
} from '../state/template-values.ts';
import { Attachments, useAttachments } from './attachments.tsx';

const SHOWN_MAX = 200;
const { templates } = TEXT;

interface TemplateList extends Page<Template> {
  readonly reason: string | null;
}

interface TemplateDialogProps {
  readonly channelId: string;
  /** The one to fill; absent: it is chosen here. */
  readonly chosen?: Template;
  readonly onClose: () => void;
  /** `text`: what the contact reads. */
  readonly onSend: (template: TemplateDraft, text: string) => void;
}

export function TemplateDialog({ channelId, onClose, onSend, ...given }: TemplateDialogProps) {
  const [chosen, setChosen] = useState(given.chosen ?? null);
  if (chosen === null) {
    return <Choice channelId={channelId} onClose={onClose} onChosen={setChosen} />;
  }
  return <Values template={chosen} onClose={onClose} onSend={onSend} />;
}

interface ChoiceProps extends Pick<TemplateDialogProps, 'channelId' | 'onClose'> {
  readonly onChosen: (template: Template) => void;
}

function Choice({ channelId, onClose, onChosen }: ChoiceProps) {
  const [search, setSearch] = useState('');
  const entries = { channelId, status: 'APPROVED', query: search, limit: SHOWN_MAX };
  const path = `/api/v1/templates${query(entries)}`;
  const { body, refused, again } = useRead<TemplateList>(path, { kinds: ['channel'] });
  return (
    <Dialog title={templates.title} onClose={onClose}>
      <Field label={TEXT.search} value={search} onValue={setSearch} />
      <Alert refused={refused} onAgain={again} />
      {body?.data.length === 0 ? (
        <p class="empty" role="status">
          {body.reason ?? (search === '' ? templates.none : templates.notFound)}
        </p>
      ) : null}
      <ul class="template-list">
        {body?.data.map((template) => (
          <li key={template.id}>
            <button type="button" class="template-choice" onClick={() => onChosen(template)}>
              <strong>{isolated(template.name)}</strong>
              <span class="small soft">{template.language}</span>
              <span class="cut soft">{previewOf(template, NO_VALUES).join(' ')}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

interface ValuesProps extends Pick<TemplateDialogProps, 'onClose' | 'onSend'> {
  readonly template: Template;
}

function Values({ template, onClose, onSend }: ValuesProps) {
  const [written, setWritten] = useState<WrittenValues>(NO_VALUES);
  const attached = useAttachments(template.id, 1);
  const [early, setEarly] = useState(false);
  const needsFile = takesFile(template);
  const mediaId = attached.list.value[0]?.mediaId ?? null;
  const preview = previewOf(template, written);
  const send = () => {
    const isMissing = needsFile && mediaId === null;
    setEarly(isMissing);
    if (isMissing) return;
    onSend(templateDraft(template, written, mediaId), preview.join('\n\n'));
    onClose();
  };
  return (
    <FormDialog
      title={isolated(template.name)}
      confirm={templates.send}
      busy={false}
      onClose={onClose}
      onConfirm={send}
    >
      {needsFile ? <HeaderFile attached={attached} early={early && mediaId === null} /> : null}
      <VariableFields template={template} written={written} onWritten={setWritten} refused={null} />
      <p class="small soft">{templates.preview}</p>
      <div class="bubble out">
        {preview.map((part) => (
          <p key={part} class="bubble-text">
            {part}
          </p>
        ))}
      </div>
    </FormDialog>
  );
}

export interface HeaderFileProps {
  readonly attached: ReturnType<typeof useAttachments>;
  readonly early: boolean;
}

export function HeaderFile({ attached, early }: HeaderFileProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <label class="field">
        {templates.file}
        <input
          ref={input}
          type="file"
          class="input"
          required
          onChange={({ currentTarget }) => {
            attached.clear();
            attached.take(currentTarget.files ?? []);
          }}
        />
      </label>
      <Attachments {...{ attached, early }} onEmpty={() => input.current?.focus()} />
    </>
  );
}

/** Names of the boxes; an example stands with them where there is room. */
export type VariableLabels = Pick<typeof templates, 'header' | 'variable' | 'button'>;

interface VariableFieldsProps {
  readonly labels?: VariableLabels;
  readonly template: Template;
  readonly written: WrittenValues;
  readonly onWritten: (written: WrittenValues) => void;
  /** The last send, as far as it was refused here. */
  readonly refused: Refused | null;
}

export function VariableFields(props: VariableFieldsProps) {
  const { template, written, onWritten, refused, labels = templates } = props;
  const { header, body } = template.parameters;
  const paths = pathsOf(template);
  return (
    <>
      {takesHeaderText(template) ? (
        <Field
          label={labels.header(header?.example)}
          value={written.header}
          onValue={(value) => onWritten({ ...written, header: value })}
          error={errorAt(refused, paths.header)}
          required
        />
      ) : null}
      {body.map(({ name, example }, position) => (
        <Field
          key={name}
          label={labels.variable(name, example)}
          value={written.body[name] ?? ''}
          onValue={(value) => onWritten({ ...written, body: { ...written.body, [name]: value } })}
          error={errorAt(refused, paths.body[position] ?? '')}
          required
        />
      ))}
      {buttonsToFill(template).map(({ index, title, example }, position) => (
        <Field
          key={index}
          label={labels.button(title, example)}
          value={written.buttons[index] ?? ''}
          onValue={(value) =>
            onWritten({ ...written, buttons: { ...written.buttons, [index]: value } })
          }
          error={errorAt(refused, paths.buttons[position] ?? '')}
          required
        />
      ))}
    </>
  );
}
