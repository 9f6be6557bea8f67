import { type ReactNode, useRef } from 'react';
import type { Change } from '../../../../shared/client/compare.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { ErrorButton, Form, FormErrors } from './form.tsx';
import { OptionsMenu } from './options-menu.tsx';
import { Section } from './page.tsx';
import './settings-form.css';
import { UnsavedEntries } from './unsaved-entries.tsx';

interface SettingsFormProps<D> {
  readonly action: Action<D>;
  readonly request: ApiRequest<D>;
  readonly isUnchanged: boolean;
  /** Changes by somebody else since the form was opened. */
  readonly changes: readonly Change[] | undefined;
  /** Why the entries cannot be saved. */
  readonly disabledReason: string | undefined;
  /** Takes back what was entered. */
  readonly onDiscard: () => void;
  /** The fields, in groups. */
  readonly children: ReactNode;
}

/** Shows the form of a page of settings. What is not saved is never out of sight, and keeps the user on the page. */
export const SettingsForm = <D,>(props: SettingsFormProps<D>) => {
  const { action, request, isUnchanged, changes, disabledReason, onDiscard, children } = props;
  return (
    <Section title="General" actions={<OptionsMenu of="the settings" requests={[request]} />}>
      <UnsavedEntries isUnsaved={!isUnchanged && !action.isPending} />
      <Form error={action.error} onSubmit={() => disabledReason === undefined && action.run(request)}>
        <FormErrors isRevised={changes !== undefined} />
        <ChangedMeanwhile changes={changes} />
        {children}
        <div className={`cluster settings-actions${isUnchanged ? '' : ' is-unsaved'}`}>
          <Button
            type="submit"
            look={isUnchanged ? 'secondary' : 'primary'}
            isPending={action.isPending}
            disabledReason={disabledReason}
          >
            Save
          </Button>
          {!isUnchanged && <Button onClick={onDiscard}>Discard</Button>}
          {action.error !== null ? <ErrorButton /> : !isUnchanged && <span className="muted">Not saved yet.</span>}
        </div>
      </Form>
    </Section>
  );
};

interface SettingsGroupProps {
  /** Heading of the group; undefined for the first one, which the heading of the section names. */
  readonly legend?: string;
  /** Why the fields have no effect; they are disabled then. */
  readonly withoutEffect?: string | undefined;
  readonly children: ReactNode;
}

/** Shows fields that belong together. */
export const SettingsGroup = ({ legend, withoutEffect, children }: SettingsGroupProps) =>
  legend === undefined ? (
    <div className="settings-form">{children}</div>
  ) : (
    <fieldset className="settings-form" disabled={withoutEffect !== undefined}>
      <legend>
        <h2>{legend}</h2>
      </legend>
      {withoutEffect !== undefined && <p className="muted">{withoutEffect}</p>}
      {children}
    </fieldset>
  );

interface SettingsSectionsProps {
  /** Headings of the sections and groups of the page, in their order. */
  readonly titles: readonly string[];
  readonly children: ReactNode;
}

/** Shows sections of settings next to a list of them, which leads to each one. */
export const SettingsSections = ({ titles, children }: SettingsSectionsProps) => {
  const content = useRef<HTMLDivElement>(null);
  const show = (title: string) => {
    const headings = [...(content.current?.querySelectorAll('h2') ?? [])];
    const heading = headings.find(({ textContent }) => textContent === title);
    if (heading === undefined) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: 'start' });
  };
  return (
    <div className="settings">
      <nav className="settings-sections" aria-label="Settings">
        <ul>
          {titles.map((title) => (
            <li key={title}>
              <button type="button" onClick={() => show(title)}>
                {title}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div ref={content} className="stack">
        {children}
      </div>
    </div>
  );
};
