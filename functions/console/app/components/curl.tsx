import { useState } from 'react';
import { type ApiRequest, toCurl } from '../../../../shared/client/request.ts';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { Dialog, DialogBody } from './dialog.tsx';

interface CurlProps {
  readonly requests: readonly ApiRequest[];
}

/**
 * Shows a button that shows requests as curl commands, in a form or a dialog. Commands name the token as `$HOLDFAST_TOKEN` and have placeholders
 * for sensitive values.
 */
export const Curl = ({ requests }: CurlProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        Show as curl
      </Button>
      {isOpen && <CurlDialog requests={requests} onClose={() => setOpen(false)} />}
    </>
  );
};

interface CurlDialogProps extends CurlProps {
  readonly onClose: () => void;
}

/** Shows requests as curl commands. */
export const CurlDialog = ({ requests, onClose }: CurlDialogProps) => {
  const hasSecrets = requests.some(({ secrets = [] }) => secrets.length > 0);
  return (
    <Dialog
      title="The same with curl"
      description={hasSecrets ? 'Replace the placeholders in angle brackets.' : undefined}
      size="medium"
      onClose={onClose}
    >
      <DialogBody>
        <CodeBlock
          label={requests.length === 1 ? 'Command' : `${requests.length} commands`}
          code={requests.map((request) => toCurl(request, window.location.origin)).join('\n\n')}
        />
      </DialogBody>
    </Dialog>
  );
};
