"""A run as pictures and films, without a browser."""

from locomotor.viewing.film.frames import film as film
from locomotor.viewing.film.frames import to_png as to_png
from locomotor.viewing.film.frames import to_video as to_video
