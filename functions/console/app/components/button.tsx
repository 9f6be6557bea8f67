import { type ButtonHTMLAttributes, type Ref, useId } from 'react';
import './button.css';
import { Icon, type IconName } from './icon.tsx';
import { toVisible } from './visible-text.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger' | 'quiet-danger';

const classOf = (look: Look, isIconOnly: boolean): string =>
  `button button-${look}${isIconOnly ? ' button-icon-only' : ''}`;

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly look?: Look;
  readonly icon?: IconName;
  /** Label of a button that has only an icon. */
  readonly label?: string;
  readonly isPending?: boolean;
  /** Why the button cannot be used. The button stays focusable, so that everybody can read the reason. */
  readonly disabledReason?: string | undefined;
}

/**
 * Shows a button. Without `children` it has only an icon and needs a `label`. The reason of a disabled button is shown while
 * the pointer or the focus is on it.
 */
export const Button = ({
  look = 'secondary',
  icon,
  label,
  isPending = false,
  disabledReason,
  type = 'button',
  onClick,
  children,
  ...rest
}: ButtonProps) => {
  const reasonId = useId();
  const isDisabled = disabledReason !== undefined;
  return (
    // The element stays the same when the reason comes or goes, so that the button keeps the focus.
    <span className={isDisabled ? 'reasoned' : 'reasonless'}>
      <button
        {...rest}
        type={type}
        className={classOf(look, children === undefined)}
        {...(label !== undefined && { 'aria-label': label, title: label })}
        {...(isDisabled && { 'aria-describedby': reasonId })}
        aria-disabled={isDisabled || isPending || undefined}
        aria-busy={isPending || undefined}
        onClick={isDisabled || isPending ? (event) => event.preventDefault() : onClick}
      >
        {isPending ? <span className="spinner" /> : icon !== undefined && <Icon name={icon} />}
        {children}
      </button>
      {isDisabled && (
        <span className="reasoned-tip" role="tooltip" id={reasonId}>
          {toVisible(disabledReason)}
        </span>
      )}
    </span>
  );
};
