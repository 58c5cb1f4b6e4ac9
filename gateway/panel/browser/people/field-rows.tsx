/** A contact's own fields in writing: a row of name and value each. */
import { isolated } from '../base/isolated.tsx';
import { Field } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import type { WrittenField } from './contact-change.ts';

const { people: words } = TEXT;
const NAME_MAX_CHARS = 200;
const VALUE_MAX_CHARS = 500;

interface FieldRowsProps {
  readonly fields: readonly WrittenField[];
  readonly onFields: (fields: readonly WrittenField[]) => void;
}

export function FieldRows({ fields, onFields }: FieldRowsProps) {
  const put = (changed: WrittenField) =>
    onFields(fields.map((each) => (each.key === changed.key ? changed : each)));
  const add = () => {
    const key = Math.max(-1, ...fields.map((each) => each.key)) + 1;
    onFields([...fields, { key, name: '', value: '' }]);
  };
  return (
    <div class="field">
      <h3 class="label">{words.fields}</h3>
      <ul class="form" aria-label={words.fields}>
        {fields.map((field) => (
          <li key={field.key} class="field-row">
            <Field
              label={words.field}
              value={field.name}
              onValue={(name) => put({ ...field, name })}
              maxLength={NAME_MAX_CHARS}
            />
            <Field
              label={words.value}
              value={field.value}
              onValue={(value) => put({ ...field, value })}
              maxLength={VALUE_MAX_CHARS}
            />
            <button
              type="button"
              class="button small quiet"
              aria-label={words.removeField(isolated(field.name))}
              onClick={({ currentTarget }) => {
                const adds = currentTarget.closest('.field')?.querySelector<HTMLElement>('.add');
                onFields(fields.filter(({ key }) => key !== field.key));
                adds?.focus();
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" class="button small add" onClick={add}>
          {words.addField}
        </button>
      </div>
    </div>
  );
}
