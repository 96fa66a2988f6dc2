"""The live page: motions made anew while somebody watches, and the server that hands them out."""

from locomotor.viewing.live.choices import LIVE_SETTINGS as LIVE_SETTINGS
from locomotor.viewing.live.view import LiveView as LiveView
from locomotor.viewing.live.view import show as show
from locomotor.viewing.live.view import view as view
