import type { WorkloadIdentity } from '../../../../../shared/client/workload-identities.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog, DialogActions, DialogBody } from '../../components/dialog.tsx';
import { Facts } from '../../components/page.tsx';
import { pipelineLines } from '../../lib/pipeline-lines.ts';
import { type PlatformName, platformOf } from '../../lib/pipeline-platforms.ts';
import { formatCount } from '../../lib/words.ts';

/** Names of the files in which platforms describe pipelines. */
const files: Readonly<Record<PlatformName, string>> = {
  github: 'Part of a job in .github/workflows',
  gitlab: 'Job in .gitlab-ci.yml',
  aws: 'Commands, for example of CodeBuild',
  other: 'Commands',
};

interface PipelineDialogProps {
  readonly identity: WorkloadIdentity;
  readonly onClose: () => void;
}

/** Shows the lines with which a pipeline uses a workload identity. */
export const PipelineDialog = ({ identity: { id, attributes }, onClose }: PipelineDialogProps) => {
  const { name, issuer, audience, conditions, enabled } = attributes;
  const platform = platformOf(issuer, conditions);
  const lifetime = formatCount(attributes['lifetime-minutes'], 'minute');
  return (
    <Dialog
      title={`Set up the pipeline of “${name}”`}
      description={`The token has to last for plan and apply: terraform reads it once. It ends after ${lifetime}.${enabled ? '' : ' The workload identity is disabled, so that pipelines get no tokens.'}`}
      size="medium"
      onClose={onClose}
    >
      <DialogBody>
        <CodeBlock
          label={files[platform]}
          code={pipelineLines(platform, { id, audience, origin: window.location.origin })}
        />
        <Facts
          facts={[
            ['ID', <code key="id">{id}</code>],
            ['Audience', audience],
          ]}
        />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
};
