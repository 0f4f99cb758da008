'use client'

import type {
  HeraldChangeLog as ChangeLogElement,
  HeraldErrorEvent,
  HeraldNotificationEvent,
  HeraldUnreadCountEvent,
  HeraldInbox as InboxElement,
} from '@herald/inbox'
import '@herald/inbox'
import { type CSSProperties, createElement, type ReactNode, type Ref, useSyncExternalStore } from 'react'

type ElementProps<Element> = {
  readonly ref?: Ref<Element>
  readonly id?: string
  readonly className?: string
  readonly style?: CSSProperties
}

const unchanging = () => () => {}

/**
 * Renders an element. React leaves out the properties and listeners of one that a server has rendered (react/react#35446), but not
 * those that a later rendering adds.
 */
function useElement(name: string, { children, ...properties }: Record<string, unknown>): ReactNode {
  const isHydrated = useSyncExternalStore(
    unchanging,
    () => true,
    () => false,
  )
  const { ref, id, className, style, theme, locale } = properties
  const attributes: Record<string, unknown> = { ref, id, className, style, theme, locale }
  return createElement(name, isHydrated ? properties : attributes, children as ReactNode)
}

/** The properties of `<herald-inbox>`, and its events as functions. */
export type HeraldInboxProps = ElementProps<InboxElement> &
  Partial<
    Pick<
      InboxElement,
      'baseUrl' | 'token' | 'client' | 'theme' | 'locale' | 'texts' | 'hrefOf' | 'imageOf' | 'nameOf' | 'grouped'
    >
  > & {
    /** Replaces the bell’s icon, with `slot="bell"`. */
    readonly children?: ReactNode
    /** A notification was opened. It is marked as read unless the default is prevented. */
    readonly onOpenNotification?: (event: HeraldNotificationEvent) => void
    readonly onNotification?: (event: HeraldNotificationEvent) => void
    readonly onUnreadCount?: (event: HeraldUnreadCountEvent) => void
    readonly onError?: (event: HeraldErrorEvent) => void
  }

/** `<herald-inbox>`: a bell with the number of unread notifications, and the list of them. */
export function HeraldInbox(props: HeraldInboxProps): ReactNode {
  const { onOpenNotification, onNotification, onUnreadCount, onError, ...properties } = props
  const events = {
    'onherald-open-notification': onOpenNotification,
    'onherald-notification': onNotification,
    'onherald-unread-count': onUnreadCount,
    'onherald-error': onError,
  }
  return useElement('herald-inbox', { ...properties, ...events })
}

/** The properties of `<herald-change-log>`, and its events as functions. */
export type HeraldChangeLogProps = ElementProps<ChangeLogElement> &
  Partial<
    Pick<
      ChangeLogElement,
      'baseUrl' | 'token' | 'client' | 'theme' | 'locale' | 'texts' | 'addressPrefix' | 'noAddress' | 'noSeals'
    >
  > & {
    readonly onFilter?: (event: CustomEvent<{ filters: Readonly<Record<string, string>> }>) => void
    readonly onError?: (event: HeraldErrorEvent) => void
  }

/** `<herald-change-log>`: the change log as a timeline with differences. */
export function HeraldChangeLog({ onFilter, onError, ...properties }: HeraldChangeLogProps): ReactNode {
  const events = { 'onherald-filter': onFilter, 'onherald-error': onError }
  return useElement('herald-change-log', { ...properties, ...events })
}
