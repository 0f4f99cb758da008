export { newNotification, notificationIn, pageIn } from './new-notification.fixture.ts'
export { byAda, mention, retraction } from './retractions/fan-outs.fixture.ts'
