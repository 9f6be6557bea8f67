import { useState } from 'react';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { testIdentityToken, type WorkloadIdentity } from '../../../../../shared/client/workload-identities.ts';
import { useAction } from '../../api/use-action.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog, DialogActions, DialogBody } from '../../components/dialog.tsx';
import { Form, FormErrors, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';

type TestResult = Schemas['WorkloadIdentityTest']['attributes'];

/** Subjects of checks that are no claims, in words. */
const subjects: Readonly<Record<string, string>> = { format: 'Format', signature: 'Signature' };

interface IdentityTokenDialogProps {
  readonly identity: WorkloadIdentity;
  readonly onClose: () => void;
}

/** Checks a pasted identity token against a workload identity, and shows the result of each check. */
export const IdentityTokenDialog = ({ identity, onClose }: IdentityTokenDialogProps) => {
  const [token, setToken] = useState('');
  const [result, setResult] = useState<TestResult>();
  const action = useAction<{ readonly data: { readonly attributes: TestResult } }>({
    onDone: ({ document }) => setResult(document.data.attributes),
  });
  const reason = token.trim() === '' ? 'Paste an identity token first.' : undefined;
  const request = testIdentityToken(identity.id, token.trim());
  const submit = () => {
    setResult(undefined);
    if (reason === undefined) action.run(request);
  };
  return (
    <Dialog
      title={`Test “${identity.attributes.name}”`}
      description="The token is checked as in an exchange. Nothing is created or stored."
      size="medium"
      onClose={onClose}
    >
      <Form error={action.error} onSubmit={submit}>
        <DialogBody>
          <FormErrors />
          <TextField
            name="subject-token"
            label="Identity token"
            hint="The token that the platform gives to the pipeline. It begins with eyJ and is valid for a few minutes."
            value={token}
            onChange={setToken}
            lines={4}
            isCode
          />
          {result !== undefined && <Result result={result} />}
        </DialogBody>
        <DialogActions>
          <Curl requests={[request]} />
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" isPending={action.isPending} disabledReason={reason}>
            Test
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
};

const Result = ({ result: { accepted, message, checks } }: { readonly result: TestResult }) => (
  <>
    {accepted ? (
      <Notice kind="success" title="A pipeline with this token gets a token" isLive />
    ) : (
      <Notice kind="danger" title="A pipeline with this token gets no token" isLive>
        <p>{message}</p>
      </Notice>
    )}
    {/* The dialog scrolls as a whole: in it, the table would shrink and scroll by itself. */}
    <div>
      <DataTable
        label="Checks"
        rows={checks.map((check, position) => ({ ...check, position }))}
        rowKey={({ position }) => String(position)}
        columns={[
          { name: 'Claim', cell: ({ subject }) => subjects[subject] ?? <code>{subject}</code> },
          {
            name: 'Result',
            cell: ({ met }) => <Badge kind={met ? 'success' : 'danger'}>{met ? 'met' : 'not met'}</Badge>,
          },
          { name: 'Expected', cell: ({ expected }) => expected },
          { name: 'In the token', cell: ({ actual }) => actual ?? <span className="muted">nothing</span> },
        ]}
      />
    </div>
  </>
);
