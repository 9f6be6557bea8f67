import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  use,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ErrorObject } from '../../../../shared/client/errors.ts';
import { errorObjects } from '../api/errors.ts';
import { useKeptEntries } from '../api/kept-page.ts';
import { withoutInvisible } from '../lib/invisible.ts';
import { Button } from './button.tsx';
import './form.css';
import { Notice } from './notice.tsx';

interface FormState {
  /** Errors of the last attempt. */
  readonly errors: readonly ErrorObject[];
  /** Names of the fields on the page. */
  readonly fields: readonly string[];
  /** Adds a field. @returns a function that removes it. */
  readonly addField: (name: string) => () => void;
}

const FormContext = createContext<FormState>({ errors: [], fields: [], addField: () => () => {} });

/** Returns whether an error is about a field: its pointer ends with the name of the field, or goes further into it. */
const concerns = ({ source }: ErrorObject, name: string): boolean =>
  source?.pointer !== undefined && `${source.pointer}/`.includes(`/${name}/`);

/** Moves the focus to the first field of a form with an error, or scrolls to the errors that belong to no field. */
const showError = (form: HTMLFormElement | null) => {
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (field) field.focus();
  else form?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' });
};

interface FormProps {
  /** Error of the last attempt. Errors with a pointer are shown at their field, all others at the top. */
  readonly error: unknown;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/**
 * Shows a form. After a failed attempt, the focus moves to the first field with an error. If the errors belong to no field, the
 * form scrolls to them. Its entries outlast a rejected token.
 */
export const Form = ({ error, onSubmit, children }: FormProps) => {
  useKeptEntries();
  const form = useRef<HTMLFormElement>(null);
  const errors = useMemo(() => errorObjects(error), [error]);
  const [fields, setFields] = useState<readonly string[]>([]);
  const addField = useCallback((name: string) => {
    setFields((former) => [...former, name]);
    return () => setFields((former) => former.toSpliced(former.indexOf(name), 1));
  }, []);
  const state = useMemo(() => ({ errors, fields, addField }), [errors, fields, addField]);
  useEffect(() => {
    if (errors.length > 0) showError(form.current);
  }, [errors]);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <FormContext value={state}>{children}</FormContext>
    </form>
  );
};

/**
 * Shows the errors of the form that belong to none of the fields on the page. Place it where it is seen first.
 * `isRevised`: the form shows itself what somebody else has changed meanwhile, in place of the error 412.
 */
export const FormErrors = ({ isRevised = false }: { readonly isRevised?: boolean }) => {
  const { errors, fields } = use(FormContext);
  const rest = errors.filter(
    (error) => !fields.some((name) => concerns(error, name)) && !(isRevised && error.status === '412'),
  );
  if (rest.length === 0) return null;
  return (
    <Notice kind="danger" isLive>
      {rest.map(({ detail, title }) => (
        <p key={detail ?? title}>{detail ?? title}</p>
      ))}
    </Notice>
  );
};

/** Shows a button that leads to the first error of the form, next to the main button of a form that is longer than the window. */
export const ErrorButton = () => (
  <Button look="quiet-danger" onClick={({ currentTarget }) => showError(currentTarget.form)}>
    Show the error
  </Button>
);

interface FieldProps {
  readonly label: ReactNode;
  /** Last member of the pointer of errors about this field, such as `key` for `/data/attributes/key`. */
  readonly name: string;
  readonly hint?: ReactNode;
  readonly isOptional?: boolean;
  /** Marks the field as required, where the other fields like it are optional. */
  readonly isRequired?: boolean;
  /** Problem of the value as it is. It is shown like an error of the service once the user leaves the field or presses Enter. */
  readonly problem?: string | undefined;
}

interface ControlProps {
  readonly id: string;
  readonly name: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
  readonly onBlur: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * Replaces the name of the attribute, with which an error begins, by the label of its field: in the field "Repository",
 * "Identifier must be …" becomes "Repository must be …".
 */
const withLabel = (detail: string, name: string, label: ReactNode): string => {
  const start = `${name.replaceAll(/[-_]/g, ' ')} `;
  const isNamed = typeof label === 'string' && detail.toLowerCase().startsWith(start);
  return isNamed ? `${label} ${detail.slice(start.length)}` : detail;
};

/** Adds a field to its form. @returns the texts of its errors. */
const useField = (name: string, label: ReactNode): readonly string[] => {
  const { errors, addField } = use(FormContext);
  useEffect(() => addField(name), [addField, name]);
  return errors
    .filter((error) => concerns(error, name))
    .map(({ detail, title }) => withLabel(detail ?? title, name, label));
};

/** Shows a label, a control, a hint and the errors of a field. */
const Field = ({
  label,
  name,
  hint,
  isOptional = false,
  isRequired = false,
  problem,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) => {
  const id = useId();
  const [isEntered, setEntered] = useState(false);
  const details = [...useField(name, label), ...(isEntered && problem !== undefined ? [problem] : [])];
  // An error replaces the hint.
  const isInvalid = details.length > 0;
  const described = isInvalid ? `${id}-error` : hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
        {isOptional && <span className="muted"> (optional)</span>}
        {isRequired && <span className="muted"> (required)</span>}
      </label>
      {children({
        id,
        name,
        'aria-describedby': described,
        'aria-invalid': isInvalid ? true : undefined,
        'aria-required': isRequired ? true : undefined,
        onBlur: () => setEntered(true),
        onKeyDown: ({ key }) => key === 'Enter' && setEntered(true),
      })}
      {hint !== undefined && !isInvalid && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {isInvalid && (
        <div className="field-error" id={`${id}-error`}>
          {details.join(' ')}
        </div>
      )}
    </div>
  );
};

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'email' | 'number' | 'datetime-local';
  readonly placeholder?: string;
  readonly isCode?: boolean;
  /** Number of lines. With more than one, it is a text area. */
  readonly lines?: number;
  readonly autoFocus?: boolean;
  readonly onFocus?: () => void;
  readonly isReadOnly?: boolean;
  /** Whether dots stand for the characters. */
  readonly isHidden?: boolean;
  /** Values that the browser suggests. */
  readonly suggestions?: readonly string[];
}

/** Shows a field for text. */
export const TextField = ({
  value,
  onChange,
  type = 'text',
  placeholder,
  isCode = false,
  lines = 1,
  autoFocus = false,
  onFocus,
  isReadOnly = false,
  isHidden = false,
  suggestions,
  ...field
}: TextFieldProps) => {
  const listId = useId();
  const shared = {
    className: `input${isCode ? ' input-code' : ''}${isHidden ? ' input-hidden' : ''}`,
    value,
    placeholder,
    readOnly: isReadOnly,
    spellCheck: isCode ? false : undefined,
    // Password managers must not offer to store tokens and values of variables.
    autoComplete: 'off',
    'data-1p-ignore': true,
    // The user has just opened a dialog or a page that consists of this field.
    autoFocus,
    onFocus,
  };
  return (
    <Field {...field}>
      {(control) =>
        lines > 1 ? (
          <textarea {...control} {...shared} rows={lines} onChange={({ target }) => onChange(target.value)} />
        ) : (
          <>
            <input
              {...control}
              {...shared}
              type={type}
              {...(suggestions !== undefined && { list: listId })}
              onChange={({ target }) => onChange(target.value)}
            />
            {suggestions !== undefined && (
              <datalist id={listId}>
                {suggestions.map((suggestion) => (
                  <option key={suggestion} value={suggestion} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  );
};

interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
}

/** Returns the options of a `SelectField` from the labels of its values. A table of all values of the API is complete. */
export const toOptions = <T extends string>(labels: Readonly<Record<T, string>>): readonly Option<T>[] =>
  (Object.entries(labels) as [T, string][]).map(([value, label]) => ({ value, label }));

/** Shows a field with a choice of several values. */
export const SelectField = <T extends string>({
  value,
  onChange,
  options,
  isDisabled = false,
  ...field
}: FieldProps & {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly options: readonly Option<T>[];
  readonly isDisabled?: boolean;
}) => (
  <Field {...field}>
    {(control) => (
      <select
        {...control}
        className="input select"
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value as T)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {withoutInvisible(option.label)}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** Shows a field that is on or off. */
export const CheckboxField = ({
  label,
  name,
  hint,
  isChecked,
  onChange,
  isDisabled = false,
}: Omit<FieldProps, 'isOptional' | 'isRequired' | 'problem'> & {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly isDisabled?: boolean;
}) => {
  const id = useId();
  const details = useField(name, label);
  return (
    <div className="field-checkbox">
      <input
        id={id}
        name={name}
        type="checkbox"
        className="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-invalid={details.length > 0 || undefined}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <div id={`${id}-hint`}>
          {hint !== undefined && <div className="field-hint">{hint}</div>}
          {details.length > 0 && <div className="field-error">{details.join(' ')}</div>}
        </div>
      </div>
    </div>
  );
};

/** Builds the props of fields from the values of a form, by the names of the values. */
export const bindFields = <V extends object>(values: V, change: (changes: Partial<V>) => void) => {
  const changeTo =
    <N extends keyof V>(name: N) =>
    (value: V[N]) =>
      change({ [name]: value } as unknown as Partial<V>);
  return {
    field: <N extends keyof V & string>(name: N) => ({ name, value: values[name], onChange: changeTo(name) }),
    /** Builds the props of a `CheckboxField`. */
    flag: <N extends keyof V & string>(name: N) => ({ name, isChecked: values[name], onChange: changeTo(name) }),
  };
};

export type BoundFields<V extends object> = ReturnType<typeof bindFields<V>>;
