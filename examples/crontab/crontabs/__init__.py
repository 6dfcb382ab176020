"""An operator for CronTabs: their types, and a controller that has a CronJob run each."""
