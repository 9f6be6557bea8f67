import { Dialog, DialogBody } from '../components/dialog.tsx';
import { CheckboxField } from '../components/form.tsx';
import { letterShortcuts } from '../lib/preferences.ts';
import { useStore } from '../lib/store.ts';
import { shortcuts } from './use-shortcuts.ts';

/** Lists the shortcuts, and lets the user switch off the shortcuts of single keys. */
export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <DialogBody>
      <dl className="keys">
        {shortcuts.map(({ keys, meaning }) => (
          <div key={keys}>
            <dt>{keys.split(' ').map((key) => (key === 'then' ? ' then ' : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <CheckboxField
        name="letterShortcuts"
        label="Single-key shortcuts"
        hint="Switch them off if they conflict with speech input. Ctrl K always works."
        isChecked={useStore(letterShortcuts) === 'on'}
        onChange={(isOn) => letterShortcuts.set(isOn ? 'on' : 'off')}
      />
    </DialogBody>
  </Dialog>
);
