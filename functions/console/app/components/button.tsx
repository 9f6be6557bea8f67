import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react';
import './button.css';
import { Icon, type IconName } from './icon.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

const classOf = (look: Look, isIconOnly: boolean): string =>
  `button button-${look}${isIconOnly ? ' button-icon-only' : ''}`;

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'className'> {
  readonly look?: Look;
  readonly icon?: IconName;
  /** Label of a button that has only an icon. */
  readonly label?: string;
  readonly isPending?: boolean;
  /** Why the button cannot be used. The button stays focusable, so that everybody can read the reason. */
  readonly disabledReason?: string | undefined;
}

/** Shows a button. Without `children` it has only an icon and needs a `label`. */
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
  const button = (
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
  );
  return isDisabled ? (
    <Reasoned id={reasonId} reason={disabledReason}>
      {button}
    </Reasoned>
  ) : (
    button
  );
};

/** Shows the reason why a control cannot be used, while the pointer or the focus is on it. */
const Reasoned = ({
  id,
  reason,
  children,
}: {
  readonly id: string;
  readonly reason: string;
  readonly children: ReactNode;
}) => (
  <span className="reasoned">
    {children}
    <span className="reasoned-tip" role="tooltip" id={id}>
      {reason}
    </span>
  </span>
);
