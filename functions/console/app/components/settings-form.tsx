import type { ReactNode } from 'react';
import type { Change } from '../../../../shared/client/compare.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Curl } from './curl.tsx';
import { ErrorButton, Form, FormErrors } from './form.tsx';
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
  /** The fields, in groups. */
  readonly children: ReactNode;
}

/** Shows the form of a page of settings. Its button stays visible, and the page cannot be left unsaved unseen. */
export const SettingsForm = <D,>(props: SettingsFormProps<D>) => {
  const { action, request, isUnchanged, changes, disabledReason, children } = props;
  return (
    <>
      <UnsavedEntries isUnsaved={!isUnchanged && !action.isPending} />
      <Form error={action.error} onSubmit={() => disabledReason === undefined && action.run(request)}>
        <FormErrors isRevised={changes !== undefined} />
        <ChangedMeanwhile changes={changes} />
        {children}
        <div className="cluster settings-actions">
          <Button type="submit" look="primary" isPending={action.isPending} disabledReason={disabledReason}>
            Save
          </Button>
          <Curl requests={[request]} />
          {action.error !== null ? <ErrorButton /> : !isUnchanged && <span className="muted">Not saved yet.</span>}
        </div>
      </Form>
    </>
  );
};

interface SettingsGroupProps {
  /** Heading of the group; undefined for the first one, which the heading of the section names. */
  readonly legend?: string;
  readonly children: ReactNode;
}

/** Shows fields that belong together. */
export const SettingsGroup = ({ legend, children }: SettingsGroupProps) =>
  legend === undefined ? (
    <div className="settings-form">{children}</div>
  ) : (
    <fieldset className="settings-form">
      <legend>
        <h2>{legend}</h2>
      </legend>
      {children}
    </fieldset>
  );
